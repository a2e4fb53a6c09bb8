// Every number that a call can have has a range, and outside of it the call is
// wrong: exit status 2 and a message that says what may be said.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cli/options.h"
#include "support/run_command.h"

namespace txscope::cli {
namespace {

bool is_number(const OptionRow& row) {
  return std::holds_alternative<std::uint64_t Options::*>(row.field) ||
         std::holds_alternative<double Options::*>(row.field);
}

/// "--jobs" of "check"; "--include" of "-I,--include".
std::string long_name(const OptionRow& row) {
  const std::size_t comma = row.name.find(',');
  return std::string(comma == row.name.npos ? row.name
                                            : row.name.substr(comma + 1));
}

std::string first_verb(const OptionRow& row) {
  return std::string(row.verbs.substr(0, row.verbs.find(' ')));
}

std::string text_of(double number) {
  std::string text = std::to_string(number);
  if (std::floor(number) == number) text.resize(text.find('.'));
  return text;
}

Result<Call> call(const OptionRow& row, const std::string& value) {
  const std::string verb = first_verb(row);
  const std::string word = long_name(row) + "=" + value;
  std::vector<const char*> words = {verb.c_str()};
  if (verb != "generate" && verb != "record") words.push_back("input");
  words.push_back(word.c_str());
  return parse_call(words);
}

TEST(OptionRanges, EveryNumberButASeedHasOne) {
  std::size_t numbers = 0;
  for (const OptionRow& row : option_table()) {
    if (!is_number(row)) continue;
    ++numbers;
    EXPECT_EQ(std::isinf(row.range.most), row.name == "--seed") << row.name;
  }
  EXPECT_GT(numbers, 20u);
}

TEST(OptionRanges, WhatIsOutsideIsAWrongCallThatSaysTheRange) {
  for (const OptionRow& row : option_table()) {
    if (!is_number(row) || row.name == "--seed") continue;
    for (const double inside : {row.range.least, row.range.most}) {
      const auto parsed = call(row, text_of(inside));
      EXPECT_TRUE(parsed) << row.name << " " << inside;
    }
    const bool is_whole =
        std::holds_alternative<std::uint64_t Options::*>(row.field);
    std::vector<std::string> outside = {text_of(row.range.most + 1),
                                        "99999999999999999999999"};
    if (row.range.least > 0) outside.push_back(text_of(row.range.least - 1));
    if (!is_whole) outside.insert(outside.end(), {"-1", "nan", "inf"});
    for (const std::string& value : outside) {
      const auto parsed = call(row, value);
      ASSERT_FALSE(parsed) << row.name << " " << value;
      const std::string& what = parsed.error().what;
      EXPECT_NE(what.find(long_name(row) + ": " + value + " is out of range"),
                what.npos)
          << what;
      EXPECT_NE(what.find(text_of(row.range.most)), what.npos) << what;
    }
    for (const char* value : {"", "x", "1x"}) {
      const auto parsed = call(row, value);
      EXPECT_FALSE(parsed) << row.name << " " << value;
    }
  }
}

TEST(OptionRanges, TheProgramExitsWithTwo) {
  const test::TemporaryDirectory directory;
  const auto ran = test::run_command("txscope generate --sessions 0 -o h.jsonl",
                                     directory.path());
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("--sessions: 0 is out of range: it is 1 to 4294967295"))
      << ran.output;
}

}  // namespace
}  // namespace txscope::cli
