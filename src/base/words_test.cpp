#include "base/words.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace helve {
namespace {

struct Case {
  const char *name, *text, *words;
};

constexpr Case kCases[] = {
    {"blanks and punctuation separate", "Upload, then: send!", "upload then send"},
    {"nothing gives nothing", " -- \t", ""},
    {"snake_case is cut", "channel_fetch-file", "channel fetch file"},
    {"camelCase gives its parts and the whole", "readPage", "read page readpage"},
    {"an acronym ends before a word", "HTTPServer", "http server httpserver"},
    {"the plural of an acronym is one word", "URLs and PDFsOnly", "urls and pdfs only pdfsonly"},
    {"digits stay with letters", "sha256Sum of utf8 v2", "sha256 sum sha256sum of utf8 v2"},
    {"accents of Latin are dropped", "Caf\u00E9 na\u00EFve \u00DCber", "cafe naive uber"},
    {"composed and decomposed are one", "e\u0301te\u0301", "ete"},
    {"sharp s is folded", "Stra\u00DFe", "strasse"},
    {"full width and ligatures are compatible", "\uFF26\uFF49\uFF4C\uFF45 of\uFB01ce",
     "file office"},
    {"soft hyphens are not seen", "down\u00ADload", "download"},
    {"Cyrillic is folded and keeps its short i", "УДАЛИ \u0439", "удали й"},
    {"io is ie", "отч\u0451т ОТЧ\u0401Т", "отчет отчет"},
    {"Greek loses its accents", "Αρχείο", "αρχειο"},
    {"Hangul syllables are kept whole", "파일을 삭제", "파일을 삭제"},
    {"Arabic keeps its letters", "حذف ملف", "حذف ملف"},
    {"Devanagari keeps its marks", "फ़ाइल", "फ\u093Cाइल"},
    {"Han gives overlapping pairs", "上传文件", "上传 传文 文件"},
    {"a single character stands alone", "送る", "送 る"},
    {"Katakana of half width is folded", "\uFF8C\uFF67\uFF72\uFF99", "ファ ァイ イル"},
    {"scripts are told apart", "PDFを検索", "pdf を 検索"},
    {"Thai marks stay with their letter", "ที่นี่", "ที่นี่"},
    {"Thai gives pairs", "ลบไฟล์", "ลบ บไ ไฟ ฟล์"},
    {"bytes that are not UTF-8 separate",
     "ab\xFF\xFE"
     "cd \xC3",
     "ab cd"},
};

TEST(Words, AreCutAndFolded) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(join(search_words(c.text), " "), c.words);
  }
}

TEST(Words, AreBounded) {
  std::string many;
  for (int i = 0; i < 500; ++i) many += "w" + std::to_string(i) + ' ';
  EXPECT_EQ(search_words(many).size(), 64U);
  EXPECT_EQ(search_words(many, {.bytes = 4096, .words = 3}).size(), 3U);
  EXPECT_EQ(search_words("one two three", {.bytes = 7, .words = 64}),
            (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(search_words(std::string(4000, 'x')), std::vector{std::string(64, 'x')});
  EXPECT_EQ(search_words("文文", {.bytes = 4, .words = 64}), std::vector<std::string>{"文"});
}

struct Family {
  const char *name, *stem;
  std::vector<std::string_view> members;
};

TEST(Words, MeetTheirInflectedForms) {
  const Family families[] = {
      {"plurals", "file", {"file", "files"}},
      {"doubled consonants", "log", {"log", "logs", "logging", "logged"}},
      {"a plain verb", "edit", {"edit", "edits", "edited", "editing"}},
      {"a verb with e", "delet", {"delete", "deletes", "deleted", "deleting"}},
      {"a short verb with e", "write", {"write", "writes", "writing"}},
      {"a noun that is a verb", "note", {"note", "notes", "noted", "noting"}},
      {"uploads", "upload", {"upload", "uploads", "uploaded", "uploading"}},
      {"sibilants", "search", {"search", "searches", "searched", "searching"}},
      {"y and ies", "queri", {"query", "queries", "querying", "queried"}},
      {"ss stays", "process", {"process", "processes", "processing"}},
      {"us stays", "status", {"status"}},
      {"words in -as", "canvas", {"canvas"}},
  };
  for (const Family& family : families) {
    SCOPED_TRACE(family.name);
    for (const std::string_view member : family.members) EXPECT_EQ(stem(member), family.stem);
  }
}

TEST(Words, KeepWhatOnlyLooksInflected) {
  for (const std::string_view word : {"string", "need", "red", "this", "css", "bring", "bus",
                                      "удалить", "sha256s", "file", "page", "used"}) {
    EXPECT_EQ(stem(word), word);
  }
}

}  // namespace
}  // namespace helve
