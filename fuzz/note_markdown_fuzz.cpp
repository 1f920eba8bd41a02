// Any bytes are a note's file; what was read of them is written and read back the same, and what is
// broken is all body. Tags and links stand in the text; names are short.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "notes/markdown.h"

namespace {

using namespace helve::notes;

void check_round(const NoteFile& file) {
  const Note note{.id = file.id.empty() ? "n0123456789" : file.id,
                  .revision = file.revision == 0 ? 1 : file.revision,
                  .title = file.title.value_or(""),
                  .summary = file.summary.value_or(""),
                  .body = file.body,
                  .updated = {.session = file.title.value_or("")},
                  .hash = "0e1"};
  const std::string text = to_markdown(note, file.tags, file.other);
  const NoteFile again = parse_markdown(text);
  HELVE_CHECK(!again.broken && again.id == note.id && again.revision == note.revision);
  HELVE_CHECK(again.title == note.title && again.summary == note.summary);
  HELVE_CHECK(again.tags == file.tags && again.body == file.body && again.other == file.other);
  HELVE_CHECK(to_markdown(note, again.tags, again.other) == text);
}

void check_names(const std::string& title) {
  const std::string name = file_name_for(title, "n0123456789");
  HELVE_CHECK(name.size() <= 60 + 2 + 11 + 3 && helve::is_utf8(name) && !name.starts_with('-'));
  HELVE_CHECK(name.find_first_of("/\\ .") == name.size() - 3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const NoteFile file = parse_markdown(bytes);
  HELVE_CHECK(bytes.ends_with(file.body) && (!file.broken || file.body == bytes));
  check_round(file);
  check_names(file.title.value_or(title_for(file.body, "x.md")));
  const Marks marks = marks_of(bytes);
  for (const std::string& tag : marks.tags) {
    HELVE_CHECK(!tag.empty() && tag.size() <= 100 && helve::is_utf8(tag));
  }
  for (const std::string& link : marks.links) HELVE_CHECK(bytes.contains("[[") && !link.empty());
  return 0;
}
