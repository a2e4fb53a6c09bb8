#include <gtest/gtest.h>

#include "support/tla.h"

namespace txscope::test {
namespace {

/// The value of an expression in a module that instantiates `module`.
std::string with(const std::string& module, const std::string& expression) {
  return value_of(expression, "INSTANCE " + module);
}

// TLC folds a set or a function from its first element on, whatever the
// definition in the module's text says about the order.
TEST(TlaLibrary, FoldsFromTheFirstElementOn) {
  const std::string add = "(LAMBDA e, sum : Append(sum, e), <<>>, ";
  EXPECT_EQ(with("SequencesExt", "FoldSeq" + add + "<<3, 1, 2>>)"),
            "<<3, 1, 2>>");
  EXPECT_EQ(with("Functions", "FoldFunction" + add + "<<3, 1, 2>>)"),
            "<<3, 1, 2>>");
  EXPECT_EQ(
      with("Functions", "FoldFunctionOnSet" + add + "<<3, 1, 2>>, {2, 3})"),
      "<<1, 2>>");
  EXPECT_EQ(with("FiniteSetsExt", "FoldSet" + add + "{3, 1, 2})"),
            "<<1, 2, 3>>");
  EXPECT_EQ(with("SequencesExt",
                 "FoldLeft(LAMBDA sum, e : Append(sum, e), <<>>, <<2, 1>>)"),
            "<<2, 1>>");
  EXPECT_EQ(with("SequencesExt",
                 "FoldRight(LAMBDA e, sum : Append(sum, e), <<2, 1>>, <<>>)"),
            "<<1, 2>>");
  EXPECT_EQ(with("BagsExt",
                 "FoldBag(LAMBDA sum, e : Append(sum, e), <<>>, "
                 "(1 :> 2 @@ 2 :> 1))"),
            "<<1, 1, 2>>");
}

TEST(TlaLibrary, KnowsSequencesOfSequences) {
  EXPECT_EQ(with("SequencesExt", "Interleave(<<1, 3>>, <<2, 4>>)"),
            "<<<<1>>, <<2>>, <<3>>, <<4>>>>");
  EXPECT_EQ(with("SequencesExt", "Zip(<<1, 2>>, <<3>>)"), "<<<<1, 3>>>>");
  EXPECT_EQ(with("SequencesExt", "FlattenSeq(<<\"a\", \"b\">>)"), "\"ab\"");
  EXPECT_EQ(with("SequencesExt",
                 "ReplaceAllSubSeqs(<<2, 2>>, <<1, 1>>, <<1, 1, 1>>)"),
            "<<2, 2, 1>>");
  EXPECT_EQ(with("SequencesExt", "ReplaceAllSubSeqs(<<0>>, <<>>, <<1, 2>>)"),
            "<<0, 1, 0, 2>>");
}

TEST(TlaLibrary, KnowsWhatAGraphConnects) {
  const std::string graph = "[node |-> {1, 2, 3}, edge |-> {<<1, 2>>}]";
  EXPECT_EQ(
      with("Graphs", "{n \\in 1..4 : AreConnectedIn(1, n, " + graph + ")}"),
      "{1, 2}");
  EXPECT_EQ(with("Graphs", "AreConnectedIn(4, 4, " + graph + ")"), "FALSE");
  EXPECT_EQ(with("Graphs", "IsTreeWithRoot([node |-> {}, edge |-> {}], 1)"),
            "FALSE");
  EXPECT_EQ(
      with("Graphs", "IsBipartiteWithPartitions(" + graph + ", {1}, {2})"),
      "FALSE");
}

// TLC has no more elements than there are.
TEST(TlaLibrary, DrawsAtMostTheWholeSet) {
  EXPECT_EQ(with("Randomization", "RandomSubset(5, {1, 2})"), "{1, 2}");
  EXPECT_EQ(with("Randomization", "Cardinality(RandomSubset(2, 1..9))"), "2");
  EXPECT_EQ(with("Randomization", "RandomSubset(-1, {1})"),
            "error: no subset has -1 elements");
}

TEST(TlaLibrary, KnowsPrefixes) {
  EXPECT_EQ(with("SequencesExt",
                 "<<IsPrefix(<<>>, <<1>>), IsPrefix(<<1>>, "
                 "<<1, 2>>), IsPrefix(<<1, 2>>, <<1>>), "
                 "IsPrefix(<<2>>, <<1, 2>>), "
                 "IsStrictPrefix(<<1>>, <<1>>)>>"),
            "<<TRUE, TRUE, FALSE, FALSE, FALSE>>");
  EXPECT_EQ(with("SequencesExt", "IsPrefix(1, <<1>>)"),
            "error: expected a sequence, found 1");
}

// As Apalache's manual says; what it takes for a hint changes no value.
TEST(TlaLibrary, ReadsTheModulesOfApalache) {
  EXPECT_EQ(with("Apalache", "ApaFoldSet(LAMBDA a, b : a - b, 10, {1, 2})"),
            "7");
  EXPECT_EQ(with("Apalache",
                 "ApaFoldSeqLeft(LAMBDA a, b : Append(a, b), <<>>, <<3, 1>>)"),
            "<<3, 1>>");
  EXPECT_EQ(with("Apalache", "Repeat(LAMBDA a, i : a * i, 4, 1)"), "24");
  EXPECT_EQ(with("Apalache", "MkSeq(3, LAMBDA i : i * i)"), "<<1, 4, 9>>");
  EXPECT_EQ(with("Apalache", "FunAsSeq([i \\in 1..2 |-> -i], 2, 5)"),
            "<<-1, -2>>");
  EXPECT_EQ(with("Apalache", "SetAsFun({<<1, 5>>, <<2, 6>>})"), "<<5, 6>>");
  EXPECT_EQ(with("Apalache", "Skolem(\\E i \\in Expand({1}) : i = 1)"), "TRUE");
  EXPECT_EQ(with("Apalache", "Guess({4})"), "4");
  EXPECT_NE(with("Apalache", "Gen(3)").find("only Apalache looks for"),
            std::string::npos);
  EXPECT_EQ(with("Variants", "VariantTag(Variant(\"A\", 1))"), "\"A\"");
  EXPECT_EQ(with("Variants",
                 "VariantFilter(\"A\", {Variant(\"A\", 1), "
                 "Variant(\"B\", {}), Variant(\"A\", 2)})"),
            "{1, 2}");
  EXPECT_EQ(with("Variants", "VariantGetUnsafe(\"A\", Variant(\"A\", 1))"),
            "1");
  EXPECT_EQ(with("Variants", "VariantGetUnsafe(\"A\", Variant(\"B\", 1))")
                .substr(0, 6),
            "error:");
  EXPECT_EQ(with("Variants", "VariantGetOrElse(\"A\", Variant(\"B\", 1), 0)"),
            "0");
  const auto assigned = check_spec(
      "EXTENDS Naturals, Apalache\nVARIABLE x\nInit == x := 0\n"
      "Next == x < 3 /\\ x' := x + 1",
      "INIT Init NEXT Next CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(assigned) << assigned.error().what;
  EXPECT_EQ(assigned->distinct, 4u);
}

}  // namespace
}  // namespace txscope::test
