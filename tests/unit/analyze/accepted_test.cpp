// Findings that are known, and fixes that are written into files.

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/paths.h"
#include "txscope/analyze.h"
#include "txscope/status.h"
#include "verb/answer/detail.h"
#include "verb/input/program_file.h"

namespace {

using namespace txscope;

const char* const kCounter =
    "CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL);\n"
    "INSERT INTO c VALUES (1, 10);\n"
    "CREATE PROCEDURE take(p int) LANGUAGE plpgsql AS $$\n"
    "DECLARE v int;\n"
    "BEGIN\n"
    "  SELECT n INTO v FROM c WHERE id = p;\n"
    "  UPDATE c SET n = v - 1 WHERE id = p;\n"
    "END $$;\n";

class AnalyzeFiles : public ::testing::Test {
 protected:
  AnalyzeFiles() {
    folder_ = std::filesystem::temp_directory_path() /
              ("txscope-accepted-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~AnalyzeFiles() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
  verb::AnalyzeRequest request(std::vector<std::string> inputs) {
    verb::AnalyzeRequest made;
    made.inputs = std::move(inputs);
    return made;
  }
  std::filesystem::path folder_;
};

const analyze::Analysis& found_in(const verb::Report& report) {
  return std::get<verb::AnalyzeDetail>(report.detail->found).found;
}

TEST_F(AnalyzeFiles, ABaselineLetsWhatIsKnownPassAndNothingElse) {
  const std::string app = write("app.sql", kCounter);
  auto first = request({app});
  first.repairs = false;
  first.write_baseline = (folder_ / "known.txt").string();
  const auto before = verb::analyze(first, Budget::unlimited());
  ASSERT_TRUE(before) << before.error().what;
  EXPECT_EQ(verb::status_of(*before), 1);

  auto again = request({app});
  again.repairs = false;
  again.baseline = first.write_baseline;
  const auto known = verb::analyze(again, Budget::unlimited());
  ASSERT_TRUE(known) << known.error().what;
  EXPECT_EQ(verb::status_of(*known), 0);

  // Another procedure, another cause.
  write("app.sql", std::string(kCounter) +
                       "CREATE PROCEDURE put(p int) LANGUAGE plpgsql AS $$\n"
                       "DECLARE w int;\n"
                       "BEGIN\n"
                       "  SELECT c.n INTO w FROM c WHERE c.id = p;\n"
                       "  UPDATE c SET n = w + 1 WHERE id = p;\n"
                       "END $$;\n");
  const auto more = verb::analyze(again, Budget::unlimited());
  ASSERT_TRUE(more) << more.error().what;
  EXPECT_EQ(verb::status_of(*more), 1);
}

TEST_F(AnalyzeFiles, ABaselineThatIsNoneIsAnError) {
  auto asked = request({write("app.sql", kCounter)});
  asked.baseline = write("known.txt", "this: is none\n");
  const auto report = verb::analyze(asked, Budget::unlimited());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().where.line, 1u);
}

TEST_F(AnalyzeFiles, ACommentWithAReasonIgnoresAFinding) {
  const std::string app = write("app.sql", kCounter);
  auto asked = request({app});
  asked.repairs = false;
  const auto before = verb::analyze(asked, Budget::unlimited());
  ASSERT_TRUE(before) << before.error().what;
  ASSERT_EQ(found_in(*before).findings.size(), 1u);
  const std::string id = found_in(*before).findings[0].id;

  write("app.sql",
        "-- txscope: ignore " + id + ": one clerk works here\n" + kCounter);
  const auto ignored = verb::analyze(asked, Budget::unlimited());
  ASSERT_TRUE(ignored) << ignored.error().what;
  EXPECT_EQ(verb::status_of(*ignored), 0);
  EXPECT_EQ(found_in(*ignored).findings[0].accepted, "one clerk works here");

  write("app.sql", "-- txscope: ignore " + id + "\n" + kCounter);
  const auto bare = verb::analyze(asked, Budget::unlimited());
  ASSERT_FALSE(bare) << "a reason is asked for";
  EXPECT_EQ(bare.error().where.line, 1u);

  // What is not there any more is told, and hides nothing.
  write("app.sql",
        std::string("-- txscope: ignore gone-00000000: old\n") + kCounter);
  const auto gone = verb::analyze(asked, Budget::unlimited());
  ASSERT_TRUE(gone) << gone.error().what;
  EXPECT_EQ(verb::status_of(*gone), 1);
  ASSERT_EQ(found_in(*gone).notes.size(), 1u);
  EXPECT_NE(found_in(*gone).notes[0].find("gone-00000000"), std::string::npos);
}

TEST_F(AnalyzeFiles, ErrorsCountIfTheyAreAskedFor) {
  // Whoever comes second finds the row: 23505 only if both are under way.
  const std::string app =
      write("app.sql",
            "CREATE TABLE t (id int PRIMARY KEY);\n"
            "CREATE PROCEDURE put(p int) LANGUAGE plpgsql AS $$\n"
            "BEGIN\n"
            "  IF NOT EXISTS (SELECT 1 FROM t WHERE id = p) THEN\n"
            "    INSERT INTO t VALUES (p);\n"
            "  END IF;\n"
            "END $$;\n");
  auto asked = request({app});
  asked.repairs = false;
  const auto report = verb::analyze(asked, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  verb::StatusOptions how;
  EXPECT_EQ(verb::status_of(*report, how), 0);
  how.fail_on = {verb::About::Error};
  EXPECT_EQ(verb::status_of(*report, how), 1);
}

TEST_F(AnalyzeFiles, AFixIsWrittenIntoTheFileThatItBelongsTo) {
  const std::string text = kCounter;
  const std::size_t cut = text.find("CREATE PROCEDURE");
  write("db/V1__tables.sql", text.substr(0, cut));
  const std::string code = write("db/V2__code.sql", text.substr(cut));
  auto asked = request({(folder_ / "db").string()});
  asked.fix = true;
  const auto report = verb::analyze(asked, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  const auto fixed = verb::read_text(code);
  ASSERT_TRUE(fixed);
  EXPECT_NE(fixed->find("UPDATE c SET n = n - 1"), std::string::npos)
      << *fixed;
  EXPECT_EQ(fixed->find("SELECT n"), std::string::npos) << *fixed;
  const auto after =
      verb::analyze(request({(folder_ / "db").string()}), Budget::unlimited());
  ASSERT_TRUE(after);
  EXPECT_EQ(verb::status_of(*after), 0) << "what was written holds";
}

}  // namespace
