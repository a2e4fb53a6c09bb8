// Every ```console block of README.md and docs/ is run, and what it prints must
// be what the page shows.  `$ echo $?` shows the exit status of the command
// before.  TXSCOPE_UPDATE_DOCS=1 writes the real output into the pages instead,
// for somebody to read before it is committed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/paths.h"
#include "support/run_command.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;
using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream text(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> pages() {
  const fs::path root(test::source_dir());
  std::vector<fs::path> found = {root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const auto& entry : fs::recursive_directory_iterator(root / "examples"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// Runs one block and returns its lines as they should be.
std::vector<std::string> replayed(const std::vector<std::string>& block,
                                  const std::string& directory) {
  std::vector<std::string> out;
  int status = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i].rfind("$ ", 0) != 0) continue;
    out.push_back(block[i]);
    std::string command = block[i].substr(2);
    while (!command.empty() && command.back() == '\\' && i + 1 < block.size()) {
      out.push_back(block[++i]);
      command.back() = ' ';
      command += block[i];
    }
    if (command == "echo $?") {
      out.push_back(std::to_string(status));
      continue;
    }
    const Ran ran = run_command(command, directory);
    status = ran.status;
    std::istringstream text(ran.output);
    for (std::string line; std::getline(text, line);) out.push_back(line);
  }
  return out;
}

class Page : public testing::TestWithParam<fs::path> {};

TEST_P(Page, ShowsWhatItsCommandsPrint) {
  const bool update = std::getenv("TXSCOPE_UPDATE_DOCS") != nullptr;
  const std::vector<std::string> lines = lines_of(GetParam());
  ASSERT_FALSE(lines.empty()) << GetParam();
  const TemporaryDirectory directory;
  fs::create_directory_symlink(fs::path(test::source_dir()) / "examples",
                               fs::path(directory.path()) / "examples");
  std::vector<std::string> fresh;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    fresh.push_back(lines[i]);
    if (lines[i] != "```console") continue;
    std::vector<std::string> block;
    while (i + 1 < lines.size() && lines[i + 1] != "```")
      block.push_back(lines[++i]);
    const auto now = replayed(block, directory.path());
    if (!update) {
      EXPECT_EQ(now, block) << GetParam();
    }
    fresh.insert(fresh.end(), now.begin(), now.end());
  }
  if (!update) return;
  std::ofstream page(GetParam());
  for (const auto& line : fresh) page << line << '\n';
}

INSTANTIATE_TEST_SUITE_P(
    Docs, Page, testing::ValuesIn(pages()), [](const auto& page) {
      std::string name;
      for (const char c : fs::relative(page.param, test::source_dir()).string())
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return name;
    });

}  // namespace
}  // namespace txscope
