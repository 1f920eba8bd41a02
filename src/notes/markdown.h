// notes/markdown.h
//
// A note as a Markdown file with YAML front matter, and back (NT-48, NT-50). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "notes/note.h"

namespace helve::notes {

struct NoteFile {
  std::string id;             // "": a new note
  std::int64_t revision = 0;  // 0: unknown
  std::optional<std::string> title, summary;
  std::vector<std::string> tags;
  std::string body;
  // Front matter that is not ours: its lines, byte for byte, so that it is written back.
  std::string other;
  // The front matter was broken: then all of the file is body.
  bool broken = false;
};

// Same note, same bytes. `tags` and `other` as NoteFile has them: what parse_markdown made of them
// reads back the same.
std::string to_markdown(const Note& note, const std::vector<std::string>& tags,
                        std::string_view other);
// Takes any bytes; invalid UTF-8 is for the caller to refuse before. A missing title stays absent.
NoteFile parse_markdown(std::string_view file);

// The title of a file that gives none: of its first heading ("# Title"), else of its name, without
// folder, ending and id.
std::string title_for(std::string_view body, std::string_view file_name);

// "<slug of the title, at most 60 bytes>--<id>.md"; "note--<id>.md" where nothing of it is left. A
// slug has small letters and digits with dashes between; accents go, other scripts stay.
std::string file_name_for(std::string_view title, std::string_view id);

// `#word` outside code, headings and addresses, and [[links]] outside code (NT-11), each once, in
// order. A word has letters, digits, _, - and /, at least one letter, and at most 100 bytes.
struct Marks {
  std::vector<std::string> tags;   // without '#', case-folded
  std::vector<std::string> links;  // what stands between the brackets, trimmed
};
Marks marks_of(std::string_view body);

}  // namespace helve::notes
