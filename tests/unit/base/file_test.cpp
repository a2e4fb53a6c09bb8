#include "base/file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/run_command.h"

namespace txscope {
namespace {

TEST(WriteFile, ReplacesTheFileAndLeavesNoTemporaryBehind) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("report.json", "old");
  ASSERT_TRUE(write_file_atomically(path, "new"));
  EXPECT_EQ(directory.read("report.json"), "new");
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(directory.path())) {
    EXPECT_EQ(entry.path().filename(), "report.json");
    ++files;
  }
  EXPECT_EQ(files, 1u);
}

TEST(WriteFile, SaysWhatItCannotWrite) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path() + "/no/such/folder.txt";
  const auto result = write_file_atomically(path, "text");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where.file, path);
}

}  // namespace
}  // namespace txscope
