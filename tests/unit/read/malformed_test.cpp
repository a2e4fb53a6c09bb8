// Each malformed file is refused with the place and the words that the list
// beside it names, and each file is named.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "read/histories/history_source.h"
#include "support/paths.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;

std::string refusal(const fs::path& path) {
  // A history of a directory is refused as such; its message names the file.
  const bool is_in_directory =
      path.parent_path().parent_path().filename() != "malformed";
  auto source = read::open_history(
      (is_in_directory ? path.parent_path() : path).string(), {});
  if (!source)
    return to_string(source.error().where) + "\t" + source.error().what;
  auto history = (*source)->next();
  if (!history)
    return to_string(history.error().where) + "\t" + history.error().what;
  return "accepted";
}

/// "file:line:column", "file: byte n", or the file alone.
std::string full_place(const std::string& file, const std::string& place) {
  if (place.empty()) return file;
  return file + (place.starts_with("byte") ? ": " : ":") + place;
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != "expected.tsv")
      files.insert(fs::relative(entry.path(), folder).string());
  return files;
}

TEST(Malformed, FilesAreRefusedAtTheirPlaces) {
  const fs::path root = fs::path(test::source_dir()) / "tests/malformed";
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().filename() == "jepsen") continue;  // has its own test
    ++folders;
    std::ifstream list(entry.path() / "expected.tsv");
    std::set<std::string> named;
    for (std::string line; std::getline(list, line);) {
      std::istringstream fields(line);
      std::string file, place, what;
      std::getline(fields, file, '\t');
      std::getline(fields, place, '\t');
      std::getline(fields, what, '\t');
      named.insert(file);
      const fs::path path = entry.path() / file;
      const std::string found = refusal(path);
      if (place == "*")
        EXPECT_TRUE(found.starts_with(path.string())) << found;
      else if (what == "holds no transaction")
        EXPECT_EQ(found, path.parent_path().string() + "\t" + what);
      else
        EXPECT_EQ(found, full_place(path.string(), place) + "\t" + what);
    }
    EXPECT_EQ(named, files_in(entry.path()));
  }
  EXPECT_GE(folders, 8u);
}

}  // namespace
}  // namespace txscope
