// Holds the table of src/CMakeLists.txt against every include under src/: a folder includes only
// itself and what stands in its USES, and USES name only folders further up.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Arrows = std::map<std::string, std::set<std::string>>;

const fs::path kSource = fs::path(HELVE_SOURCE_DIR) / "src";

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Row {
  std::string name;
  std::vector<std::string> uses;
};

std::vector<Row> read_table(const std::string& cmake) {
  std::vector<Row> rows;
  const std::regex call(R"((?:^|\n)\s*helve_library\(([^)]*)\))");
  for (std::sregex_iterator at(cmake.begin(), cmake.end(), call), end; at != end; ++at) {
    std::istringstream words((*at)[1].str());
    Row row;
    words >> row.name;
    bool uses = false;
    for (std::string word; words >> word;) {
      if (word == "USES" || word == "LINKS") {
        uses = word == "USES";
      } else if (uses) {
        row.uses.push_back(word);
      }
    }
    rows.push_back(row);
  }
  return rows;
}

// The folders that the file's includes name, for those that are folders of the table.
std::set<std::string> included_folders(const std::string& source, const Arrows& table) {
  std::set<std::string> folders;
  const std::regex include(R"re((?:^|\n)\s*#\s*include\s*"([^"/]+)/[^"]*")re");
  for (std::sregex_iterator at(source.begin(), source.end(), include), end; at != end; ++at) {
    if (table.contains((*at)[1].str())) folders.insert((*at)[1].str());
  }
  return folders;
}

std::vector<std::string> missing_arrows(const std::string& file, const std::string& source,
                                        const Arrows& table) {
  std::vector<std::string> missing;
  const std::string folder = file.substr(0, file.find('/'));
  if (!table.contains(folder)) return {file + ": the folder has no row"};
  for (const std::string& used : included_folders(source, table)) {
    if (used != folder && !table.at(folder).contains(used)) {
      missing.push_back(file + ": " + folder + " -> " + used);
    }
  }
  return missing;
}

Arrows arrows_of(const std::vector<Row>& rows) {
  Arrows arrows;
  for (const Row& row : rows) arrows[row.name] = {row.uses.begin(), row.uses.end()};
  return arrows;
}

TEST(Layers, TheTableUsesOnlyWhatStandsAbove) {
  std::set<std::string> above;
  const std::vector<Row> rows = read_table(read_file(kSource / "CMakeLists.txt"));
  ASSERT_GT(rows.size(), 5U);
  for (const Row& row : rows) {
    for (const std::string& used : row.uses) {
      EXPECT_TRUE(above.contains(used)) << row.name << " uses " << used << ", which is not above";
    }
    EXPECT_TRUE(above.insert(row.name).second) << row.name << " stands twice";
  }
}

TEST(Layers, EveryIncludeHasItsArrow) {
  const Arrows table = arrows_of(read_table(read_file(kSource / "CMakeLists.txt")));
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSource)) {
    const std::string extension = entry.path().extension().string();
    const std::string file = entry.path().lexically_relative(kSource).string();
    if ((extension != ".h" && extension != ".cpp") || !file.contains('/')) continue;
    ++files;
    for (const std::string& missing : missing_arrows(file, read_file(entry.path()), table)) {
      ADD_FAILURE() << "src/" << missing << " is missing from src/CMakeLists.txt";
    }
  }
  EXPECT_GT(files, 20U);
}

TEST(Layers, AnArrowThatIsMissingIsNamed) {
  const Arrows table =
      arrows_of(read_table("helve_library(base LINKS X::Y)\n"
                           "# helve_library(no USES base)\n"
                           "helve_library(os USES base) # a remark\n"
                           "helve_library(tool\n  USES base)\n"));
  EXPECT_EQ(table.size(), 3U);
  const std::string source = "#include \"base/json.h\"\n#include \"os/fd.h\"\n#include <os/x.h>\n";
  EXPECT_EQ(missing_arrows("tool/a.cpp", source, table),
            std::vector<std::string>{"tool/a.cpp: tool -> os"});
  EXPECT_TRUE(missing_arrows("os/a.cpp", source, table).empty());
}

}  // namespace
