#include "check/facts/likely_versions.h"

#include <gtest/gtest.h>

#include "certify/certify.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

bool is_found(const char* text, Base base) {
  const History history = litmus(text);
  const Facts facts(history);
  const OrderIndex order(history, facts, Order::Session);
  auto found = order_by_likely_versions(history, facts, order, base,
                                        Budget::unlimited());
  if (!found) return false;
  const Level level{base, Order::Session};
  const certify::Certificate certificate =
      certify::certify(history, Verdict{level, *std::move(found)});
  EXPECT_TRUE(certificate) << certificate.why_not;
  return true;
}

TEST(LikelyVersions, NumbersThatGrowTellTheOrderOfBlindWrites) {
  EXPECT_TRUE(is_found(R"(
      s1: [w(x,1)] [w(x,4)]
      s2: [w(x,2)] [w(x,3)] [r(x,4)]
  )",
                       Base::Serializable));
}

// Serializable, but not with the versions in this order.
TEST(LikelyVersions, WrongNumbersFindNothing) {
  EXPECT_FALSE(is_found(R"(
      s1: [w(x,7)]
      s2: [r(x,7) w(x,3)]
  )",
                        Base::Serializable));
  EXPECT_FALSE(is_found(R"(
      s1: [w(x,7)] [w(x,3)]
      s2: [r(x,3)]
  )",
                        Base::Serializable));
}

TEST(LikelyVersions, WordsAreNoHint) {
  EXPECT_FALSE(is_found(R"(
      s1: [w(x,a)]
      s2: [w(x,b)]
  )",
                        Base::Serializable));
}

TEST(LikelyVersions, ShowWhatSnapshotsAllow) {
  constexpr auto kWriteSkew = R"(
      s1: [r(x,0) r(y,0) w(x,1)]
      s2: [r(x,0) r(y,0) w(y,1)]
  )";
  EXPECT_FALSE(is_found(kWriteSkew, Base::Serializable));
  EXPECT_TRUE(is_found(kWriteSkew, Base::SnapshotIsolation));
  EXPECT_TRUE(is_found(kWriteSkew, Base::Prefix));
  constexpr auto kLostUpdate = R"(
      s1: [r(x,0) w(x,1)]
      s2: [r(x,0) w(x,2)]
  )";
  EXPECT_FALSE(is_found(kLostUpdate, Base::SnapshotIsolation));
  EXPECT_TRUE(is_found(kLostUpdate, Base::Prefix));
}

}  // namespace
}  // namespace txscope::check
