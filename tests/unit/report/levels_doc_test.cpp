// docs/levels.md says only what is so.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "generate/distinguish.h"
#include "read/histories/history_source.h"
#include "report/dictionary/dictionary.h"
#include "support/oracle.h"
#include "support/paths.h"

namespace txscope {
namespace {

std::vector<std::string> lines_of_page() {
  std::ifstream in(test::source_dir() + "/docs/levels.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Claim {
  Base allowed_by;
  Base forbidden_by;
};

Base base_of(const std::string& text) {
  const auto level = parse_level(text);
  EXPECT_TRUE(level) << text;
  return level ? level->base : Base::Serializable;
}

// <!-- allowed-by: X; forbidden-by: Y -->
std::optional<Claim> claim_in(const std::string& line) {
  const std::string first = "<!-- allowed-by: ", second = "; forbidden-by: ";
  const auto middle = line.find(second);
  if (!line.starts_with(first) || middle == std::string::npos)
    return std::nullopt;
  const auto end = line.find(" -->");
  return Claim{base_of(line.substr(first.size(), middle - first.size())),
               base_of(line.substr(middle + second.size(),
                                   end - middle - second.size()))};
}

TEST(LevelsPage, ShowsSmallestHistoriesBetweenAllNeighbours) {
  std::vector<Claim> claims;
  std::string text;
  bool is_inside = false;
  int pairs = 0;
  for (const std::string& line : lines_of_page()) {
    if (const auto claim = claim_in(line)) claims.push_back(*claim);
    if (line == "```" && is_inside) {
      is_inside = false;
      auto source = read::open_history_text("levels.md", text, {});
      ASSERT_TRUE(source) << text;
      auto history = (*source)->next();
      ASSERT_TRUE(history && *history) << text;
      const OracleAnswers answers = oracle(**history);
      for (const Claim claim : claims) {
        const Level allowed{claim.allowed_by, Order::Session};
        const Level forbidden{claim.forbidden_by, Order::Session};
        EXPECT_TRUE(answers.allows(allowed)) << text;
        EXPECT_FALSE(answers.allows(forbidden)) << text;
        const generate::Distinction smallest =
            generate::distinguish(allowed, forbidden, Budget::unlimited());
        ASSERT_EQ(smallest.kind, generate::Distinction::Kind::Found);
        EXPECT_EQ((*history)->size(), smallest.history->size()) << text;
        EXPECT_EQ((*history)->ops().size(), smallest.history->ops().size());
        ++pairs;
      }
      claims.clear();
      text.clear();
    }
    if (is_inside) text += line + "\n";
    if (line == "```jsonl") is_inside = true;
  }
  EXPECT_EQ(pairs, 9);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line.substr(line.find('|') + 1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    const auto last = cell.find_last_not_of(' ');
    cells.push_back(
        first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

std::vector<std::vector<std::string>> rows_below(const std::string& heading) {
  std::vector<std::vector<std::string>> rows;
  bool is_below = false;
  for (const std::string& line : lines_of_page()) {
    if (line.starts_with(heading)) is_below = true;
    if (is_below && line.empty() && !rows.empty()) break;
    if (is_below && line.starts_with("|") && !line.starts_with("|---"))
      rows.push_back(cells_of(line));
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

TEST(LevelsPage, GivesNamesThatTheProgramAccepts) {
  const auto rows = rows_below("## Names");
  EXPECT_EQ(rows.size(), kBaseCount);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 2u);
    const Base base = base_of(row[0]);
    EXPECT_EQ(name(base), row[0]);
    std::istringstream names(row[1]);
    for (std::string quoted; std::getline(names, quoted, ',');) {
      const auto first = quoted.find('`') + 1;
      EXPECT_EQ(base_of(quoted.substr(first, quoted.rfind('`') - first)), base);
    }
  }
}

TEST(LevelsPage, SaysOfEveryAnomalyWhatTheDictionarySays) {
  const auto rows = rows_below("## Anomalies");
  EXPECT_GT(rows.size(), 15u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 4u);
    const report::dictionary::Entry* entry = report::dictionary::find(row[0]);
    ASSERT_NE(entry, nullptr) << row[0];
    EXPECT_EQ(entry->name, row[0]);
    ASSERT_EQ(entry->forbidden_by.size(), 1u);
    const Level level = entry->forbidden_by.front();
    std::string expected(name(level.base));
    if (level.order == Order::Session) expected += ", session order";
    EXPECT_EQ(row[3], expected) << row[0];
  }
}

}  // namespace
}  // namespace txscope
