// Includes point one way: text -> model -> engines -> certify -> report -> cli.
// This test reads the #include lines of src/ and says which one points back.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "support/paths.h"

namespace {

namespace fs = std::filesystem;
using Folders = std::set<std::string>;

// What each folder may include besides itself.
const std::map<std::string, Folders>& allowed() {
  static const std::map<std::string, Folders> table = {
      {"base", {}},
      {"model", {"base"}},
      {"read", {"base", "model"}},
      {"check", {"base", "model"}},
      {"exec", {"base", "model"}},
      {"explore", {"base", "model", "exec", "check"}},
      {"engine", {"base", "model", "exec", "check"}},
      {"db", {"base", "model", "exec", "engine"}},
      {"smt", {"base", "model"}},
      {"verify",
       {"base", "model", "exec", "check", "explore", "engine", "smt"}},
      {"robust",
       {"base", "model", "exec", "check", "explore", "engine", "smt",
        "verify"}},
      {"audit", {"base", "model", "exec", "check", "engine"}},
      {"tla", {"base", "model", "check"}},
      {"generate", {"base", "model", "check"}},
      {"certify", {"base", "model"}},
      {"report",
       {"base", "model", "check", "certify", "exec", "explore", "engine",
        "verify", "robust", "audit", "tla"}},
      {"cli",
       {"base", "model", "read", "check", "exec", "explore", "engine", "smt",
        "verify", "robust", "audit", "db", "tla", "generate", "certify",
        "report"}},
  };
  return table;
}

std::string included_folder(const std::string& line) {
  const std::string start = "#include \"";
  if (line.rfind(start, 0) != 0) return "";
  const std::size_t slash = line.find('/', start.size());
  if (slash == std::string::npos) return "";
  return line.substr(start.size(), slash - start.size());
}

TEST(Layers, IncludesPointInTheDirectionOfTheFlow) {
  const fs::path src = fs::path(txscope::test::source_dir()) / "src";
  int lines = 0;
  for (const auto& file : fs::recursive_directory_iterator(src)) {
    if (!file.is_regular_file()) continue;
    const std::string folder =
        (*fs::relative(file.path(), src).begin()).string();
    const auto row = allowed().find(folder);
    ASSERT_NE(row, allowed().end())
        << "src/" << folder << " is not in the table of this test";
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      const std::string other = included_folder(line);
      if (other.empty() || other == folder) continue;
      ++lines;
      EXPECT_TRUE(row->second.count(other) == 1)
          << file.path().string() << " includes " << line << ", but src/"
          << folder << " must not know src/" << other;
    }
  }
  EXPECT_GT(lines, 10) << "the test found no includes; does it read src/?";
}

TEST(Layers, OnlyTheCommandLinePrintsAndExits) {
  const fs::path src = fs::path(txscope::test::source_dir()) / "src";
  for (const auto& file : fs::recursive_directory_iterator(src)) {
    if (!file.is_regular_file()) continue;
    const std::string folder =
        (*fs::relative(file.path(), src).begin()).string();
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
