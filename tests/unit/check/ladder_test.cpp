#include "check/ladder.h"

#include <gtest/gtest.h>

#include "certify/certify.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

std::vector<Level> every_base() {
  std::vector<Level> levels;
  for (const Base base : all_bases()) levels.push_back({base, Order::Session});
  return levels;
}

/// "serializable<-read-atomic": what is violated, and what it follows from.
std::string violated(std::string_view text, std::vector<Level> levels) {
  const History history = litmus(text);
  const auto rows = check_levels(history, levels, Budget::unlimited());
  EXPECT_EQ(rows.size(), levels.size());
  std::string all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].verdict.level, levels[i]);
    EXPECT_TRUE(certify::certify(history, rows[i].verdict))
        << describe(levels[i]);
    if (rows[i].verdict.outcome() != Outcome::Violated) continue;
    all += (all.empty() ? "" : " ") + std::string(name(levels[i].base));
    if (rows[i].follows_from)
      all += "<-" + std::string(name(rows[i].follows_from->base));
  }
  return all;
}

TEST(Ladder, AnswersInTheOrderAskedAndSaysWhatFollows) {
  EXPECT_EQ(
      violated("a: t1:[w(x,1) w(y,1)]\nb: t2:[r(y,0) r(x,1)]", every_base()),
      "read-atomic causal<-read-atomic prefix<-read-atomic "
      "parallel-snapshot-isolation<-read-atomic "
      "snapshot-isolation<-read-atomic serializable<-read-atomic");
  EXPECT_EQ(violated("a: t1:[w(x,1) w(y,1)]\nb: t2:[r(y,0) r(x,1)]",
                     {{Base::Causal, Order::Session},
                      {Base::ReadCommitted, Order::Session}}),
            "causal");
}

TEST(Ladder, FindsTwoMinimalLevels) {
  // A long fork and, on another key, a lost update.
  EXPECT_EQ(violated("a: [w(x,1)]\nb: [w(y,1)]\nc: [r(x,1) r(y,0)]\n"
                     "d: [r(y,1) r(x,0)]\ne: [r(z,0) w(z,1)]\n"
                     "f: [r(z,0) w(z,2)]",
                     every_base()),
            "prefix parallel-snapshot-isolation snapshot-isolation<-prefix "
            "serializable<-prefix");
}

TEST(Ladder, HasNothingToSayAboutASerialHistory) {
  EXPECT_EQ(violated("a: [w(x,1)] [r(x,1)]", every_base()), "");
}

// What one order forbids, a stronger order forbids, too.
TEST(Ladder, GoesAcrossOrders) {
  const std::string_view text = "a: [1..2: w(x,1)] [3..4: r(x,0)]";
  const History history = litmus(text);
  const std::vector<Level> levels = {{Base::ReadAtomic, Order::Realtime},
                                     {Base::ReadAtomic, Order::None},
                                     {Base::ReadAtomic, Order::Session}};
  const auto rows = check_levels(history, levels, Budget::unlimited());
  EXPECT_EQ(rows[0].verdict.outcome(), Outcome::Violated);
  EXPECT_EQ(rows[1].verdict.outcome(), Outcome::Holds);
  EXPECT_EQ(rows[2].verdict.outcome(), Outcome::Violated);
  EXPECT_EQ(rows[0].follows_from, levels[2]);
  EXPECT_EQ(rows[2].follows_from, std::nullopt);
}

}  // namespace
}  // namespace txscope::check
