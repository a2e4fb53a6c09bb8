// Which SQL files a folder stands for, and in which order.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "read/sql/folder.h"

namespace {

using namespace txscope;
namespace fs = std::filesystem;

TEST(SqlFolder, FilesComeAsPeoplesToolsLoadThem) {
  const std::vector<std::string> order = {
      "schema.sql",   "structure.sql",    "V1__tables.sql",
      "V2__more.sql", "V10__columns.sql", "accounts.sql",
      "queries.sql",  "seed.sql",         "R__views.sql"};
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> files = order;
    std::shuffle(files.begin(), files.end(), random);
    std::sort(files.begin(), files.end(), sql::loads_before);
    EXPECT_EQ(files, order);
  }
}

TEST(SqlFolder, NumbersAndTimestampsCount) {
  EXPECT_TRUE(sql::loads_before("2_b.sql", "10_a.sql"));
  EXPECT_TRUE(sql::loads_before("20230102_a.sql", "20230110_a.sql"));
  EXPECT_FALSE(sql::loads_before("0010_a.sql", "0002_b.sql"));
}

TEST(SqlFolder, WhatTakesAVersionBackIsLeftOut) {
  const fs::path folder = fs::temp_directory_path() /
                          ("txscope-folder-" + std::to_string(::getpid()));
  fs::create_directories(folder / "down");
  for (const char* name : {"V1__a.sql", "U1__a.sql", "2.down.sql", "2.up.sql",
                           "down/1.sql", "down.sql", "3_down.sql", "notes.txt"})
    std::ofstream(folder / name) << "SELECT 1;\n";
  const auto files = sql::sql_files(folder.string());
  ASSERT_TRUE(files);
  std::vector<std::string> names;
  for (const std::string& file : *files)
    names.push_back(fs::path(file).filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"2.up.sql", "V1__a.sql"}));
  fs::remove_all(folder);
}

TEST(SqlFolder, APlanSaysWhatThereIsAndInWhichOrder) {
  const fs::path folder = fs::temp_directory_path() /
                          ("txscope-plan-" + std::to_string(::getpid()));
  for (const char* part : {"deploy", "revert", "verify"}) {
    fs::create_directories(folder / part);
    for (const char* name : {"a", "b", "unplanned"})
      std::ofstream(folder / part / (std::string(name) + ".sql"))
          << "SELECT 1;\n";
  }
  std::ofstream(folder / "sqitch.plan")
      << "%project=x\n\nb 2020-01-01T00:00:00Z A <a@b> # first\n"
         "a [b] 2020-01-02T00:00:00Z A <a@b> # second\n@v1 2020\n";
  for (const fs::path& asked : {folder, folder / "deploy"}) {
    const auto files = sql::sql_files(asked.string());
    ASSERT_TRUE(files);
    std::vector<std::string> names;
    for (const std::string& file : *files)
      names.push_back(fs::path(file).lexically_relative(folder).string());
    EXPECT_EQ(names,
              (std::vector<std::string>{"deploy/b.sql", "deploy/a.sql"}));
  }
  fs::remove_all(folder);
}

TEST(SqlFolder, APatternMeansTheFilesThatItFits) {
  const fs::path folder = fs::temp_directory_path() /
                          ("txscope-glob-" + std::to_string(::getpid()));
  fs::create_directories(folder / "more");
  for (const char* name : {"2.sql", "10.sql", "more/3.sql", "x.txt"})
    std::ofstream(folder / name) << "SELECT 1;\n";
  const auto names = [&](const std::string& pattern) {
    std::vector<std::string> found;
    if (const auto files = sql::sql_files((folder / pattern).string()))
      for (const std::string& file : *files)
        found.push_back(fs::path(file).lexically_relative(folder).string());
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("*.sql"), (Names{"2.sql", "10.sql"}));
  EXPECT_EQ(names("**.sql"), (Names{"2.sql", "10.sql", "more/3.sql"}));
  EXPECT_EQ(names("?.sql"), (Names{"2.sql"}));
  EXPECT_EQ(names("*.nothing"), (Names{}));
  fs::remove_all(folder);
}

TEST(SqlFolder, AFolderWithoutSqlIsAnError) {
  const fs::path folder = fs::temp_directory_path() /
                          ("txscope-empty-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  EXPECT_FALSE(sql::sql_files(folder.string()));
  fs::remove_all(folder);
}

}  // namespace
