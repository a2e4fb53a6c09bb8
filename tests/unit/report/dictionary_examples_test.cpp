#include "report/dictionary/dictionary.h"

#include <gtest/gtest.h>

#include "read/histories/history_source.h"
#include "support/oracle.h"

namespace txscope::report::dictionary {
namespace {

TEST(Dictionary, GivesExamplesThatExactlyTheClaimedLevelsForbid) {
  int examples = 0;
  for (const Entry& entry : all()) {
    if (entry.example.empty()) continue;
    ++examples;
    auto source = read::open_history_text(std::string(entry.name),
                                          std::string(entry.example), {});
    ASSERT_TRUE(source) << entry.name << ": " << source.error().what;
    auto history = (*source)->next();
    ASSERT_TRUE(history) << entry.name << ": " << history.error().what;
    ASSERT_TRUE(*history) << entry.name;
    const OracleAnswers answers = oracle(**history);
    const bool has_times = entry.example.find("start") != std::string::npos;
    for (const Base base : all_bases()) {
      for (const Order order : {Order::None, Order::Session, Order::Realtime}) {
        if (order == Order::Realtime && !has_times) continue;
        const Level level{base, order};
        bool is_claimed = false;
        for (const Level weakest : entry.forbidden_by)
          is_claimed |= implies(level, weakest);
        EXPECT_EQ(!answers.allows(level), is_claimed)
            << entry.name << " at " << describe(level);
      }
    }
  }
  EXPECT_GT(examples, 25);
}

}  // namespace
}  // namespace txscope::report::dictionary
