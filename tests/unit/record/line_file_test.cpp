// Where a recording goes: what is there already, who else writes, who may read.

#include "db/record/line_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/run_command.h"

namespace txscope::db {
namespace {

using Older = LineFile::Older;

class LineFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name = "log") const {
    return directory_.path() + "/" + name;
  }
  test::TemporaryDirectory directory_;
};

TEST_F(LineFileTest, AnOlderLogIsRefusedOrReplacedAsAWhole) {
  directory_.write("log", "old\n");
  const auto refused = LineFile::open(path(), Older::Refuse);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("--force"), std::string::npos);
  EXPECT_EQ(directory_.read("log"), "old\n");
  {
    auto file = LineFile::open(path(), Older::Replace);
    ASSERT_TRUE(file);
    EXPECT_EQ(directory_.read("log"), "old\n") << "nothing was written yet";
    file->write("new\n");
    file->flush();
    EXPECT_EQ(directory_.read("log"), "new\n");
  }
  EXPECT_EQ(directory_.read("log"), "new\n");
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(directory_.path()),
                    std::filesystem::directory_iterator()),
      1);
}

TEST_F(LineFileTest, NothingIsLeftOfOneThatWasNeverWritten) {
  {
    auto fresh = LineFile::open(path("fresh"), Older::Refuse);
    ASSERT_TRUE(fresh);
  }
  EXPECT_FALSE(std::filesystem::exists(path("fresh")));
  directory_.write("log", "old\n");
  { auto older = LineFile::open(path(), Older::Replace); }
  EXPECT_EQ(directory_.read("log"), "old\n");
}

TEST_F(LineFileTest, TwoNeverWriteIntoOne) {
  for (const char* before : {"", "old\n"}) {
    directory_.write("log", before);
    auto first = LineFile::open(path(), Older::Replace);
    ASSERT_TRUE(first);
    for (int round = 0; round < 2; ++round) {
      const auto second = LineFile::open(path(), Older::Replace);
      ASSERT_FALSE(second);
      EXPECT_NE(second.error().what.find("another program"), std::string::npos);
      first->write("line\n");
      first->flush();
    }
    EXPECT_EQ(directory_.read("log"), "line\nline\n");
  }
}

TEST_F(LineFileTest, OnlyItsOwnerReadsIt) {
  const mode_t before = ::umask(0);
  for (const bool is_replaced : {false, true}) {
    if (is_replaced) ::chmod(path().c_str(), 0644);
    auto file = LineFile::open(path(), Older::Replace);
    file->write("line\n");
    file->flush();
    struct stat status {};
    ASSERT_EQ(::stat(path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
  }
  ::umask(before);
}

TEST_F(LineFileTest, ALinkOfSomebodyElsesIsNotFollowed) {
  directory_.write("precious", "keep\n");
  ASSERT_EQ(::symlink("precious", path("link").c_str()), 0);
  {
    auto own = LineFile::open(path("link"), Older::Refuse);
    ASSERT_FALSE(own);
    EXPECT_NE(own.error().what.find("a log already exists"), std::string::npos);
  }
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give links away";
  ASSERT_EQ(::lchown(path("link").c_str(), 12345, 12345), 0);
  const auto others = LineFile::open(path("link"), Older::Replace);
  ASSERT_FALSE(others);
  EXPECT_NE(others.error().what.find("another user"), std::string::npos);
  EXPECT_EQ(directory_.read("precious"), "keep\n");
}

TEST_F(LineFileTest, APipeThatNobodyReadsIsAnError) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const auto file = LineFile::open(path("pipe"));
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().what.find("has no reader"), std::string::npos);
}

TEST_F(LineFileTest, ADirectoryIsAnError) {
  const auto file = LineFile::open(directory_.path());
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().what.find("cannot write"), std::string::npos);
}

}  // namespace
}  // namespace txscope::db
