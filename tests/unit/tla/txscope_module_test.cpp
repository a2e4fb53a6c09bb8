#include <gtest/gtest.h>

#include "support/tla.h"

namespace txscope::test {
namespace {

// Every history of a shape: sessions of transactions of operations on one or
// two keys with values 0 to 2, small enough to evaluate the definitions as they
// are written.
const std::string kShapes =
    "T == INSTANCE Txscope\n"
    "Ops(K) == {T!Read(k, v) : k \\in K, v \\in 0..2} \\cup\n"
    "          {T!Write(k, v) : k \\in K, v \\in 1..2}\n"
    "Init(K) == [k \\in K |-> 0]\n"
    "Levels(i, h) == <<T!ReadUncommitted(i, h), T!ReadCommitted(i, h),\n"
    "  T!MonotonicAtomicView(i, h), T!ReadAtomic(i, h), T!Causal(i, h),\n"
    "  T!Prefix(i, h), T!ParallelSnapshotIsolation(i, h),\n"
    "  T!SnapshotIsolation(i, h), T!Serializable(i, h)>>\n"
    "Strict(i, h, t) == <<T!StrictReadCommitted(i, h, t),\n"
    "  T!StrictReadAtomic(i, h, t), T!StrictCausal(i, h, t),\n"
    "  T!StrictPrefix(i, h, t), T!StrictParallelSnapshotIsolation(i, h, t),\n"
    "  T!StrictSnapshotIsolation(i, h, t), T!StrictSerializable(i, h, t)>>\n"
    "X == {\"x\"}\nXY == {\"x\", \"y\"}\n";

void expect_same_answers(const std::string& expression,
                         const std::string& definitions = {}) {
  const auto native = evaluate_tla(expression, kShapes + definitions);
  const auto literal = evaluate_tla(expression, kShapes + definitions, false);
  ASSERT_TRUE(native) << native.error().what;
  ASSERT_TRUE(literal) << literal.error().what;
  EXPECT_EQ(*native, *literal) << expression;
  // Both answers occur, or the comparison would say little.
  EXPECT_NE(literal->find("TRUE"), std::string::npos);
  EXPECT_NE(literal->find("FALSE"), std::string::npos);
}

TEST(TxscopeModule, AgreesWithItsDefinitionsOnTwoSessionsOfOneTransaction) {
  expect_same_answers(
      "[h \\in {<<<<<<a, b>>>>, <<<<c>>>>>> : a, b, c \\in Ops(X)} |-> "
      "Levels(Init(X), h)]");
}

TEST(TxscopeModule, AgreesWithItsDefinitionsOnOneSession) {
  expect_same_answers(
      "[h \\in {<<<<<<a>>, <<b, c>>>>>> : a, b, c \\in Ops(X)} |-> "
      "Levels(Init(X), h)]");
}

TEST(TxscopeModule, AgreesWithItsDefinitionsOnThreeTransactions) {
  expect_same_answers(
      "[h \\in {<<<<<<a>>, <<b>>>>, <<<<c>>>>>> : a, b, c \\in Ops(XY)} |-> "
      "Levels(Init(XY), h)]");
}

// The classic anomalies, and the levels that forbid them.
TEST(TxscopeModule, NamesTheLevelsThatForbidAnomalies) {
  const std::string r = "r(k, v) == T!Read(k, v)\nw(k, v) == T!Write(k, v)\n";
  const auto levels = [&](const std::string& history) {
    const auto native =
        evaluate_tla("Levels(Init(XY), " + history + ")", kShapes + r);
    const auto literal =
        evaluate_tla("Levels(Init(XY), " + history + ")", kShapes + r, false);
    EXPECT_TRUE(native && literal);
    EXPECT_EQ(*native, *literal);
    std::string letters;
    for (std::size_t i = 0; i + 3 < native->size(); ++i) {
      if (native->compare(i, 4, "TRUE") == 0) letters += '+';
      if (native->compare(i, 5, "FALSE") == 0) letters += '-';
    }
    return letters;
  };
  // Order: RU RC MAV RA CC PC PSI SI SER.
  EXPECT_EQ(levels("<<<<<<r(\"x\", 0), w(\"x\", 1)>>>>, <<<<r(\"x\", 0), "
                   "w(\"x\", 2)>>>>>>"),
            "++++++---")
      << "lost update";
  EXPECT_EQ(levels("<<<<<<r(\"x\", 0), w(\"y\", 1)>>>>, <<<<r(\"y\", 0), "
                   "w(\"x\", 1)>>>>>>"),
            "++++++++-")
      << "write skew";
  EXPECT_EQ(levels("<<<<<<w(\"x\", 1)>>>>, <<<<w(\"y\", 1)>>>>, "
                   "<<<<r(\"x\", 1), r(\"y\", 0)>>>>, <<<<r(\"y\", 1), "
                   "r(\"x\", 0)>>>>>>"),
            "+++++-+--")
      << "long fork";
  EXPECT_EQ(levels("<<<<<<w(\"x\", 1), w(\"y\", 1)>>>>, <<<<r(\"x\", 1), "
                   "r(\"y\", 0)>>>>>>"),
            "++-------")
      << "fractured read";
  EXPECT_EQ(levels("<<<<<<r(\"x\", 7)>>>>>>"), "+--------") << "thin air";
}

TEST(TxscopeModule, RespectsRealTimeInStrictLevels) {
  expect_same_answers(
      "[p \\in {<<<<<<<<a>>>>, <<<<b>>>>>>, <<<<<<1, 2>>>>, <<<<s, 5>>>>>>>> "
      ": a, b \\in Ops(X), s \\in {2, 3}} |-> Strict(Init(X), p[1], p[2])]");
}

TEST(TxscopeModule, ShowsTheHistoryBehindAViolation) {
  const auto result = check_spec(
      "EXTENDS Naturals, Sequences\nVARIABLE ops\nT == INSTANCE Txscope\n"
      "Keys == {\"x\"}\nInit == ops = [t \\in {\"a\", \"b\"} |-> <<>>]\n"
      "Step(t) == /\\ ops[t] = <<>>\n"
      "  /\\ ops' = [ops EXCEPT ![t] = <<T!Read(\"x\", 0), T!Write(\"x\", "
      "1)>>]\n"
      "Next == \\E t \\in {\"a\", \"b\"} : Step(t)\n"
      "Safe == T!Serializable([k \\in Keys |-> 0], T!Alone(ops))",
      "INIT Init NEXT Next INVARIANT Safe");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->violation, ModelViolation::Invariant);
  EXPECT_EQ(result->trace.size(), 3u);
  ASSERT_TRUE(result->history);
  EXPECT_EQ(result->history->txns().size(), 3u);  // with the initial one
  EXPECT_EQ(result->levels.back().verdict.outcome(), Outcome::Violated);
}

}  // namespace
}  // namespace txscope::test
