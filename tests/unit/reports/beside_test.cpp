// What stands beside the steps of a run: values, rows, lines of the input, and,
// of a big history, what else ran then.
#include <gtest/gtest.h>

#include <regex>

#include "unit/reports/written.h"

namespace txscope {
namespace {

using test::run_command;
using test::TemporaryDirectory;

std::string page_of(const std::string& call) {
  const test::Ran ran =
      run_command("txscope " + call + " --format html", test::source_dir());
  EXPECT_EQ(ran.status, 1) << ran.output;
  return ran.output;
}

/// The tables beside the steps, one after the other, without marks.
std::vector<std::string> states_of(const std::string& page) {
  std::vector<std::string> states;
  const std::string begin = "<div class=\"state";
  const std::string words = "<div class=\"states";
  for (std::size_t at = 0; (at = page.find(begin, at)) != std::string::npos;
       ++at) {
    if (page.compare(at, words.size(), words) == 0) continue;
    std::string state = page.substr(at, page.find("</div>", at) - at);
    state = std::regex_replace(state, std::regex("<td[^>]*>"), "|");
    states.push_back(std::regex_replace(state, std::regex("<[^>]*>"), ""));
  }
  return states;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += what.size())
    ++n;
  return n;
}

// Two read 10; one writes 7 and the other 8.
TEST(BesideARun, AHistoryHasItsValuesWithWhoWroteAndSawThem) {
  const std::string page =
      page_of("check examples/histories/lost-update.jsonl");
  const auto states = states_of(page);
  ASSERT_FALSE(states.empty());
  const std::string& last = states.back();
  EXPECT_NE(last.find("|stock|10|there from the beginning|buy-3, buy-2"),
            std::string::npos)
      << last;
  EXPECT_NE(last.find("|stock|7|buy-3|"), std::string::npos) << last;
  EXPECT_NE(last.find("|stock|8|buy-2|"), std::string::npos) << last;
  // The first has not written when it reads.
  EXPECT_EQ(states[1].find("|stock|7|"), std::string::npos) << states[1];
}

TEST(BesideARun, AHistoryHasItsLines) {
  const std::string page =
      page_of("check examples/histories/lost-update.jsonl");
  const std::string listing = page.substr(page.find("class=\"listing\""));
  EXPECT_NE(listing.find("<span class=\"ln\">2</span>"), std::string::npos);
  EXPECT_NE(listing.find(test::in_html("\"buy-3\"")), std::string::npos);
}

TEST(BesideARun, WhatCannotBeReadAgainHasNoLines) {
  const test::Ran ran = run_command(
      "txscope check - --format html < "
      "examples/histories/lost-update.jsonl",
      test::source_dir());
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.said("class=\"state"));
  EXPECT_FALSE(ran.said("class=\"listing"));
}

TEST(BesideARun, LinesOfALongFileAreThoseAroundTheRun) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 1; i <= 900; ++i)
    text += R"({"session":"s","ops":[["w","k)" + std::to_string(i) +
            R"(",1]]})" + "\n";
  text += R"({"session":"a","ops":[["r","x",1],["w","y",1]]})"
          "\n"
          R"({"session":"b","ops":[["r","y",1],["w","x",1]]})"
          "\n";
  directory.write("h.jsonl", text);
  const test::Ran ran =
      run_command("gzip -k h.jsonl && txscope check h.jsonl.gz --format html",
                  directory.path());
  ASSERT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("<span class=\"ln\">897</span>"));
  EXPECT_FALSE(ran.said("<span class=\"ln\">896</span>"));
  EXPECT_TRUE(ran.said("<span class=\"ln\">902</span>"));
}

// 100 is read twice; one writes 150, then the other 80.
TEST(BesideARun, ALogHasTheRowsOfItsTables) {
  const std::string page = page_of("audit examples/logs/lost-update.jsonl");
  const auto states = states_of(page);
  ASSERT_GE(states.size(), 4u);
  EXPECT_NE(states.front().find("|1|100"), std::string::npos) << states.front();
  const auto has = [&](const std::string& what) {
    return std::any_of(states.begin(), states.end(), [&](const auto& state) {
      return state.find(what) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("|1|150 1-1: not committed"));
  EXPECT_NE(states.back().find("|1|80"), std::string::npos) << states.back();
  // One after the other the second would have read what the first wrote.
  EXPECT_NE(page.find("here it would give 1 row: (150)"), std::string::npos);
  EXPECT_NE(page.find("class=\"listing\""), std::string::npos);
}

TEST(BesideARun, AProtocolHasItsSpecification) {
  const std::string page = page_of(
      "model examples/tla/TwoPhase.tla --config "
      "examples/tla/TwoPhaseCareless.cfg");
  EXPECT_NE(page.find("class=\"listing\""), std::string::npos);
  EXPECT_NE(page.find("VoteYes(r, t) =="), std::string::npos);
}

TEST(BigHistories, HaveAnomaliesByKindAndWhatRanAroundEach) {
  const TemporaryDirectory directory;
  const test::Ran ran = run_command(
      "txscope generate --level serializable --transactions 2000 --seed 5 "
      "--plant write-skew -o a.jsonl && txscope check a.jsonl --format html "
      "-o r.html --format text -o r.txt",
      directory.path());
  ASSERT_EQ(ran.status, 1) << ran.output;
  const std::string page = directory.read("r.html");
  EXPECT_NE(page.find("Anomalies by kind"), std::string::npos);
  EXPECT_NE(page.find("how many"), std::string::npos);
  // What the terminal tells is what was asked for.
  EXPECT_EQ(directory.read("r.txt").find("the smallest of"), std::string::npos);
  const std::size_t context = page.find("What ran at about the same time");
  ASSERT_NE(context, std::string::npos);
  const std::string strip =
      page.substr(context, page.find("</section>", context) - context);
  EXPECT_GE(count(strip, "<rect class=\"fail\""), 2u);
  EXPECT_GT(count(strip, "<rect class=\"txn\""), 20u);
}

TEST(SmallHistories, AreNotCountedByKind) {
  const std::string page =
      page_of("check examples/histories/lost-update.jsonl");
  EXPECT_EQ(page.find("Anomalies by kind"), std::string::npos);
}

}  // namespace
}  // namespace txscope
