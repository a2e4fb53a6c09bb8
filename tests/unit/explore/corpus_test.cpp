#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "explore/explore.h"
#include "read/txn/txn.h"
#include "support/paths.h"

namespace txscope::explore {
namespace {

using Json = nlohmann::json;

const std::string kPrograms = test::source_dir() + "/tests/programs/";

Program load(const std::string& name) {
  std::ifstream in(kPrograms + name + ".txn");
  std::stringstream text;
  text << in.rdbuf();
  auto program = read::read_txn(name + ".txn", text.str());
  EXPECT_TRUE(program) << name;
  return std::move(*program);
}

/// The answers of exhaustive enumeration, by program and level.
std::map<std::string, std::map<Base, Json>> expected() {
  std::map<std::string, std::map<Base, Json>> rows;
  std::ifstream in(kPrograms + "expected.jsonl");
  for (std::string line; std::getline(in, line);) {
    const Json row = Json::parse(line);
    const auto level = parse_level(row["level"].get<std::string>());
    rows[row["program"]][level->base] = row;
  }
  return rows;
}

void expect_row(const Program& program, const Answer& level, const Json& row) {
  const std::string where =
      row["program"].get<std::string>() + " at " + level.level;
  EXPECT_EQ(level.counts.histories, row["histories"].get<std::uint64_t>())
      << where;
  EXPECT_EQ(level.counts.end_states,
            level.counts.histories + level.counts.filtered)
      << where;
  EXPECT_EQ(level.counts.blocked, 0u) << where;
  EXPECT_TRUE(level.is_complete) << where;
  std::size_t properties = 0;
  for (const PropertyAnswer& result : level.properties) {
    const Property& property = program.at(result.property);
    const bool invariant = property.kind == PropertyKind::Invariant;
    const Json& verdicts = row[invariant ? "invariants" : "asserts"];
    const Json& counts =
        row[invariant ? "violating_invariants" : "violating_asserts"];
    ASSERT_TRUE(verdicts.contains(property.name)) << where;
    EXPECT_EQ(name(result.verdict), verdicts[property.name].get<std::string>())
        << where << ": " << property.name;
    EXPECT_EQ(result.violating, counts[property.name].get<std::uint64_t>())
        << where << ": " << property.name;
    ++properties;
  }
  EXPECT_EQ(properties, row["invariants"].size() + row["asserts"].size())
      << where;
}

TEST(ExploreCorpus, CountsAndVerdictsAreThoseOfExhaustiveEnumeration) {
  const auto rows = expected();
  EXPECT_GE(rows.size(), 60u);
  for (const auto& [name, levels] : rows) {
    const Program program = load(name);
    ExploreOptions options;
    options.all = true;
    options.explains = false;
    for (const auto& [level, row] : levels) options.levels.push_back(level);
    const auto result = explore(program, options, Budget::unlimited());
    ASSERT_TRUE(result);
    for (const Answer& level : *result) {
      expect_row(program, level, levels.at(*level.base));
    }
  }
}

}  // namespace
}  // namespace txscope::explore
