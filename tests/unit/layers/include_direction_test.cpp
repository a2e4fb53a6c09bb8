// Includes point one way: text -> model -> engines -> certify -> report -> verb
// -> cli.
// This test reads the #include lines of src/, and says which one is not in the
// table src/layers, by which CMake links, too.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "support/paths.h"

namespace {

namespace fs = std::filesystem;
using Folders = std::set<std::string>;
using Layers = std::map<std::string, Folders>;

fs::path src() { return fs::path(txscope::test::source_dir()) / "src"; }

/// What each folder may include besides itself.
Layers read_layers() {
  Layers layers;
  std::ifstream text(src() / "layers");
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':');
    std::istringstream words(line.substr(colon + 1));
    Folders& row = layers[line.substr(0, colon)];
    for (std::string word; words >> word;) row.insert(word);
  }
  return layers;
}

std::string parent(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  return slash == std::string::npos ? "" : folder.substr(0, slash);
}

/// The row of a folder, or of the nearest one around it.
Layers::const_iterator row_of(const Layers& layers, std::string folder) {
  while (!folder.empty() && !layers.contains(folder)) folder = parent(folder);
  return layers.find(folder);
}

/// Whether `row` names a folder or one around it, or is its row.
bool allows(const Layers::value_type& row, std::string folder) {
  for (; !folder.empty(); folder = parent(folder)) {
    if (folder == row.first || row.second.contains(folder)) return true;
  }
  return false;
}

std::string included_folder(const std::string& line) {
  const std::string start = "#include \"";
  if (!line.starts_with(start)) return "";
  return parent(line.substr(start.size(), line.rfind('"') - start.size()));
}

/// Of the public headers only those of plain values are below the verbs.
bool may_use_the_door(const std::string& folder, const std::string& line) {
  const std::string top = folder.substr(0, folder.find('/'));
  return top == "verb" || top == "cli" ||
         line.find("\"txscope/evidence.h\"") != std::string::npos;
}

// They stand alone: nothing but each other, the standard library, and the
// headers that are installed with them.
TEST(Layers, PublicHeadersKnowNothingOfTheRest) {
  const std::set<std::string> installed = {"#include \"base/budget.h\"",
                                           "#include \"base/result.h\"",
                                           "#include \"model/outcome.h\""};
  int headers = 0;
  for (const auto& file : fs::directory_iterator(
           fs::path(txscope::test::source_dir()) / "include/txscope")) {
    ++headers;
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with("#include ")) continue;
      const bool is_ours = line.starts_with("#include <txscope/");
      const bool is_standard =
          line.starts_with("#include <") && line.find('/') == std::string::npos;
      EXPECT_TRUE(is_ours || is_standard || installed.contains(line))
          << file.path().string() << " has " << line;
    }
  }
  EXPECT_GT(headers, 14);
  for (const std::string& line : installed) {
    const std::size_t quote = line.find('"') + 1;
    std::ifstream text(src() / line.substr(quote, line.size() - quote - 1));
    EXPECT_TRUE(text) << line;
    for (std::string inner; std::getline(text, inner);)
      EXPECT_FALSE(inner.starts_with("#include \"")) << line << ": " << inner;
  }
}

TEST(Layers, IncludesPointInTheDirectionOfTheFlow) {
  const Layers layers = read_layers();
  int lines = 0;
  for (const auto& file : fs::recursive_directory_iterator(src())) {
    if (!file.is_regular_file() || file.path().parent_path() == src()) continue;
    const std::string folder =
        fs::relative(file.path().parent_path(), src()).generic_string();
    const auto row = row_of(layers, folder);
    ASSERT_NE(row, layers.end()) << "src/layers has no row for " << folder;
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      const std::string other = included_folder(line);
      if (other.empty() || other == folder) continue;
      if (other == "txscope") {
        EXPECT_TRUE(may_use_the_door(folder, line))
            << file.path().string() << " has " << line;
        continue;
      }
      ++lines;
      EXPECT_TRUE(allows(*row, other))
          << file.path().string() << " has " << line << ", but by src/layers "
          << row->first << " must not know " << other;
    }
  }
  EXPECT_GT(lines, 10) << "the test found no includes; does it read src/?";
}

// CMake makes the libraries in the order of the rows.
TEST(Layers, ARowNamesOnlyFoldersOfRowsBeforeIt) {
  std::ifstream text(src() / "layers");
  Folders before;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::string folder = line.substr(0, line.find(':'));
    EXPECT_TRUE(fs::is_directory(src() / folder)) << folder;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) {
      EXPECT_TRUE(before.contains(word)) << folder << " names " << word;
    }
    before.insert(folder);
  }
}

TEST(Layers, OnlyTheCommandLinePrintsAndExits) {
  for (const auto& file : fs::recursive_directory_iterator(src())) {
    if (!file.is_regular_file()) continue;
    const std::string folder =
        (*fs::relative(file.path(), src()).begin()).string();
    if (folder == "cli") continue;
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      for (const char* call : {"std::exit(", "std::cout", "std::cerr",
                               "std::printf(", "std::fputs(", " abort();"}) {
        EXPECT_EQ(line.find(call), std::string::npos)
            << file.path().string() << ": " << line;
      }
    }
  }
}

}  // namespace
