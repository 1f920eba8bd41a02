#include "notes/markdown.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace helve::notes {
namespace {

Note sample() {
  return {.id = "n0123456789",
          .revision = 4,
          .title = "Release plan: \"B\"",
          .body = "# Plan\r\n\r\nno end",
          .created = {.at_ms = 1'796'000'000'000},
          .updated = {.at_ms = 1'796'000'000'123, .by = "me", .session = "ses_0f"},
          .hash = "0aff"};
}

constexpr std::string_view kSample =
    "---\n"
    "id: n0123456789\n"
    "revision: 4\n"
    "title: \"Release plan: \\\"B\\\"\"\n"
    "summary: \"\"\n"
    "tags: [plan, \"2026\"]\n"
    "created: 2026-11-30T00:53:20.000Z\n"
    "updated: 2026-11-30T00:53:20.123Z\n"
    "window: ses_0f\n"
    "hash: \"0aff\"\n"
    "aliases:\n"
    "  - x\n"
    "---\n"
    "# Plan\r\n\r\nno end";

TEST(Markdown, NT48HasItsFrontMatterInFixedOrder) {
  EXPECT_EQ(to_markdown(sample(), {"plan", "2026"}, "aliases:\n  - x\n"), kSample);
}

// One line for a file: what was understood, then the body.
std::string describe(const NoteFile& file) {
  std::vector<std::string> out;
  if (file.broken) out.emplace_back("broken");
  if (!file.id.empty()) out.push_back("id=" + file.id);
  if (file.revision != 0) out.push_back("revision=" + std::to_string(file.revision));
  if (file.title) out.push_back("title=" + *file.title);
  if (file.summary) out.push_back("summary=" + *file.summary);
  if (!file.tags.empty()) out.push_back("tags=" + join(file.tags, "+"));
  if (!file.other.empty()) out.push_back("other=" + file.other);
  out.push_back("body=" + file.body);
  return join(out, " ");
}

struct Case {
  const char *name, *file, *want;
};

constexpr Case kCases[] = {
    {"NT-50 no front matter", "# Plan\ntext", "body=# Plan\ntext"},
    {"an empty file", "", "body="},
    {"empty front matter", "---\n---\ntext", "body=text"},
    {"front matter without a body", "---\ntitle: a\n---", "title=a body="},
    {"NT-48 the body byte for byte", "---\ntitle: a\n---\n\r\n---\r\nb \n\n",
     "title=a body=\r\n---\r\nb \n\n"},
    {"line ends of other systems", "---\r\ntitle: a\r\ntags: [x]\r\n---\r\nb",
     "title=a tags=x body=b"},
    {"a byte order mark", "\xEF\xBB\xBF---\ntitle: a\n---\nb", "title=a body=b"},
    {"which is kept where it is all",
     "\xEF\xBB\xBF"
     "a",
     "body=\xEF\xBB\xBF"
     "a"},
    {"all that we read",
     "---\nid: n0123456789\nrevision: 7\ntitle: 'a b'\nsummary: |\n  x\n  y\n---\n",
     "id=n0123456789 revision=7 title=a b summary=x\ny\n body="},
    {"tags one by one", "---\ntags:\n- a\n- \"b c\"\n---\n", "tags=a+b c body="},
    {"tags in a line", "---\ntags: a, b\n---\n", "tags=a+b body="},
    {"nulls are absent", "---\ntitle:\nsummary: ~\ntags: null\n---\n", "body="},
    {"quoted nothing is something", "---\nsummary: \"\"\n---\n", "summary= body="},
    {"an id of somebody else's", "---\nid: 202611301200\n---\n", "body="},
    {"a ref is no id", "---\nid: n0123456789@1\nrevision: -1\n---\n", "body="},
    {"NT-50 unknown keys are kept",
     "---\naliases: [a,  b]\ntitle: t\ncss: |\n  a: b\n\n  # c\nhash: x\n---\n",
     "title=t other=aliases: [a,  b]\ncss: |\n  a: b\n\n  # c\n body="},
    {"with their odd line ends", "---\na: 1\r\nb:   2\n---\n", "other=a: 1\r\nb:   2\n body="},
    {"comments are kept, and come first",
     "---\n# one\na: 1\n# two\ntitle: t # gone\n  # three\n\nb: 2\n---\n",
     "title=t other=# one\n  # three\na: 1\n# two\nb: 2\n body="},
    {"a comment behind a text of ours", "---\nsummary: |\n  x\n  # y\n# z\n---\n",
     "summary=x\n# y\n other=# z\n body="},
    {"a comment behind a list of ours", "---\ntags:\n  - x\n# z\ntitle: t\n---\n",
     "title=t tags=x other=# z\n body="},
    {"a comment behind nothing of ours", "---\ntitle:\n# z\nsummary: s\n---\n",
     "summary=s other=# z\n body="},
    {"NT-50 broken: nothing closes it", "---\ntitle: a\n", "broken body=---\ntitle: a\n"},
    {"broken: no mapping", "---\njust text\n---\nb", "broken body=---\njust text\n---\nb"},
    {"broken: one in braces", "---\n{title: a}\n---\n", "broken body=---\n{title: a}\n---\n"},
    {"broken: no YAML", "---\ntitle: [\n---\n", "broken body=---\ntitle: [\n---\n"},
    {"broken: a key twice", "---\ntitle: a\ntitle: b\n---\n",
     "broken body=---\ntitle: a\ntitle: b\n---\n"},
    {"broken: a title that is a list", "---\ntitle: [a]\n---\n",
     "broken body=---\ntitle: [a]\n---\n"},
    {"broken: tags within tags", "---\ntags: [[a]]\n---\n", "broken body=---\ntags: [[a]]\n---\n"},
    {"broken: an alias", "---\na: &x 1\nb: *x\n---\n", "broken body=---\na: &x 1\nb: *x\n---\n"},
    {"broken: an anchor", "---\na: &x 1\n---\n", "broken body=---\na: &x 1\n---\n"},
    {"broken: a tag of YAML", "---\na: !!int 1\n---\n", "broken body=---\na: !!int 1\n---\n"},
    {"broken: a directive", "---\n%YAML 1.1\n---\n", "broken body=---\n%YAML 1.1\n---\n"},
    {"broken: an end of the document", "---\na: 1\n...\n---\n",
     "broken body=---\na: 1\n...\n---\n"},
    {"broken: keys that are indented", "---\n  a: 1\n---\n", "broken body=---\n  a: 1\n---\n"},
    {"broken: a key with a question mark", "---\n? a\n: 1\n---\n",
     "broken body=---\n? a\n: 1\n---\n"},
    {"broken: a lone carriage return between keys", "---\na: 1\rb: 2\n---\n",
     "broken body=---\na: 1\rb: 2\n---\n"},
};

TEST(Markdown, NT50IsReadAsItIs) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(parse_markdown(c.file)), c.want);
  }
}

TEST(Markdown, NT50RefusesWhatIsNestedDeeply) {
  const auto nested = [](std::size_t depth) {
    return "---\na: " + std::string(depth, '[') + std::string(depth, ']') + "\n---\n";
  };
  EXPECT_FALSE(parse_markdown(nested(15)).broken);
  EXPECT_TRUE(parse_markdown(nested(16)).broken);
  EXPECT_TRUE(parse_markdown(nested(500'000)).broken);
}

TEST(Markdown, NT50RefusesFrontMatterBeyondAMebibyte) {
  const std::string line(1 << 20, 'x');
  EXPECT_TRUE(parse_markdown("---\na: " + line + "\n---\n").broken);
  EXPECT_FALSE(parse_markdown("---\na: " + line.substr(100) + "\n---\n").broken);
}

class Notes {
 public:
  std::string text() {
    constexpr const char* kParts[] = {
        "a",          "yes",  " ",  "  ",     "\n",     "\r\n",   "\t",     "---",    "...",
        ": ",         "#",    "\"", "'",      "\\",     "\\n",    "1e5",    "~",      "- ",
        "[",          "{",    "|",  "\u0085", "\u2028", "\uFEFF", "\x7F",   "\u00E9", "\u4E0A",
        "\U0001F600", "\x01", "%",  "&a",     "*a",     "!!x",    "\uFFFF", "@"};
    std::string out;
    for (unsigned i = below(8); i > 0; --i) out += kParts[below(std::size(kParts))];
    return out;
  }

  Note note() {
    return {.id = new_id(),
            .revision = 1 + static_cast<std::int64_t>(random_() >> 1U),
            .title = text(),
            .summary = text(),
            .body = (below(4) == 0 ? "---\n" : "") + text() + text(),
            .updated = {.at_ms = static_cast<std::int64_t>(random_()) * 1000, .session = text()},
            .hash = text()};
  }

  std::vector<std::string> tags() {
    std::vector<std::string> out;
    for (unsigned i = below(4); i > 0; --i) out.push_back(text());
    return out;
  }

  std::string other() {
    constexpr const char* kLines[] = {"a: 1\n", "b: |+\n  x\n\n", "\"c d\":\r\n- e\r\n",
                                      "f: g\n  h\n", "i:\n  # j\n  k: {l: m}\n"};
    std::string out = below(2) == 0 ? "# first\n" : "";
    for (unsigned i = below(4); i > 0; --i) out += kLines[below(std::size(kLines))];
    return out;
  }

 private:
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }

  std::mt19937 random_{21};
};

TEST(Markdown, NT51ReadsBackAsItWasWritten) {
  Notes notes;
  for (int round = 0; round < 3000; ++round) {
    const Note note = notes.note();
    const auto tags = notes.tags();
    const std::string other = notes.other();
    const std::string file = to_markdown(note, tags, other);
    SCOPED_TRACE(file);
    const NoteFile read = parse_markdown(file);
    ASSERT_FALSE(read.broken);
    ASSERT_EQ(read.id, note.id);
    ASSERT_EQ(read.revision, note.revision);
    ASSERT_EQ(read.title, note.title);
    ASSERT_EQ(read.summary, note.summary);
    ASSERT_EQ(read.tags, tags);
    ASSERT_EQ(read.body, note.body);
    ASSERT_EQ(read.other, other);
    ASSERT_EQ(to_markdown(note, read.tags, read.other), file);
  }
}

}  // namespace
}  // namespace helve::notes
