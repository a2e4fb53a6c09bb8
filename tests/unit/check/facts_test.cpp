#include "check/facts/facts.h"

#include <gtest/gtest.h>

#include <string>

#include "support/litmus.h"

namespace txscope::check {
namespace {

std::string word(BadReadKind kind) {
  switch (kind) {
    case BadReadKind::Aborted: return "aborted";
    case BadReadKind::Intermediate: return "intermediate";
    case BadReadKind::ThinAir: return "thin-air";
    case BadReadKind::Internal: return "internal";
    case BadReadKind::Incompatible: return "incompatible";
    case BadReadKind::NoWriter: return "no-writer";
  }
  return "";
}

/// "r(x)=1 aborted w(x)=1; ...": what is wrong, operation by operation.
std::string bad_reads(std::string_view text) {
  const History history = litmus(text);
  const Facts facts(history);
  std::string all;
  for (const BadRead& bad : facts.bad_reads()) {
    if (!all.empty()) all += "; ";
    all += history.describe(bad.read) + " " + word(bad.kind);
    if (bad.other != kNone<OpId>) all += " " + history.describe(bad.other);
  }
  return all;
}

/// "x<-t1 y<-?(init t2)": what the external reads of t take from whom.
std::string sources(const History& history, const Facts& facts, TxnId t) {
  std::string all;
  for (const Facts::Read& read : facts.reads(t)) {
    if (!all.empty()) all += " ";
    all += history.name(read.key) + "<-";
    if (read.writer != kNone<TxnId>) {
      all += history.name(read.writer);
      continue;
    }
    all += "?(";
    for (const TxnId c : facts.candidates(read.op))
      all += (all.back() == '(' ? "" : " ") + history.name(c);
    all += ")";
  }
  return all;
}

std::string sources(std::string_view text) {
  const History history = litmus(text);
  const Facts facts(history);
  std::string all;
  for (std::size_t t = 1; t < history.size(); ++t) {
    const std::string of_t = sources(history, facts, TxnId(t));
    if (of_t.empty()) continue;
    all += (all.empty() ? "" : "; ") + history.name(TxnId(t)) + ": " + of_t;
  }
  return all;
}

/// The appenders of key 0 in the order that the reads show.
std::string version_order(std::string_view text) {
  const History history = litmus(text);
  const Facts facts(history);
  std::string all;
  for (const TxnId t : facts.version_order(KeyId(0)))
    all += (all.empty() ? "" : " ") + history.name(t);
  return all;
}

std::string parts(std::string_view text) {
  const History history = litmus(text);
  const Facts facts(history);
  std::string all;
  for (std::size_t t = 1; t < history.size(); ++t)
    all += "-io"[static_cast<int>(facts.part(TxnId(t)))];
  return all;
}

TEST(Facts, ReadsTakeTheVisibleWriteAndInternalReadsHaveNoWriter) {
  EXPECT_EQ(sources("s: t1:[w(x,1) w(x,2)] t2:[r(x,2) w(x,3) r(x,3)]"),
            "t2: x<-t1");
  EXPECT_EQ(sources("s: t1:[r(x,0) r(y,0)]"), "t1: x<-init y<-init");
  EXPECT_EQ(bad_reads("s: t1:[w(x,1) r(x,1) w(x,2) r(x,2)]"), "");
}

TEST(Facts, NameWhatIsWrongWithAReadThatNobodyWrote) {
  EXPECT_EQ(bad_reads("s: [w(x,1)]! [r(x,1)]"), "r(x)=1 aborted w(x)=1");
  EXPECT_EQ(bad_reads("s: [w(x,1) w(x,2)] [r(x,1)]"),
            "r(x)=1 intermediate w(x)=1");
  EXPECT_EQ(bad_reads("s: [r(x,7)]"), "r(x)=7 thin-air");
  EXPECT_EQ(bad_reads("s: [w(x,1) r(x,0)]"), "r(x)=0 internal w(x)=1");
  EXPECT_EQ(bad_reads("init *=none\ns: [r(x,0)]"), "r(x)=0 thin-air");
}

TEST(Facts, AReadOfItsOwnLaterWriteHasNoWriter) {
  EXPECT_EQ(bad_reads("s: [r(x,1) w(x,1)]"), "r(x)=1 thin-air w(x)=1");
  EXPECT_EQ(sources("s: t1:[r(x,1) w(x,1)]\nu: t2:[w(x,1)]"), "t1: x<-t2");
}

TEST(Facts, ARepeatedValueIsOpenOnlyIfSeveralVisibleWritesHaveIt) {
  EXPECT_EQ(sources("s: t1:[w(x,1)]\nu: t2:[w(x,1)]\nv: t3:[r(x,1)]"),
            "t3: x<-?(t1 t2)");
  EXPECT_EQ(sources("s: t1:[w(x,0)]\nu: t2:[r(x,0)]"), "t2: x<-?(init t1)");
  EXPECT_EQ(sources("s: t1:[w(x,1)]\nu: t2:[w(x,1) w(x,2)]\nv: t3:[r(x,1)]"),
            "t3: x<-t1");
  EXPECT_EQ(sources("s: t1:[w(x,1)]\nu: t2:[w(x,1)]!\nv: t3:[r(x,1)]"),
            "t3: x<-t1");
  EXPECT_EQ(sources("s: t1:[w(x,1) w(x,1)]\nv: t3:[r(x,1)]"), "t3: x<-t1");
}

TEST(Facts, UnknownTransactionsCountOnceSomebodyWhoCountsReadsFromThem) {
  EXPECT_EQ(parts("s: [w(x,1)]?\nu: [w(y,1)]?\nv: [r(x,1)]"), "i-i");
  // The chain: v reads u's y, and u read s's x.
  EXPECT_EQ(parts("s: [w(x,1)]?\nu: [r(x,1) w(y,1)]?\nv: [r(y,1)]"), "iii");
  EXPECT_EQ(parts("s: [w(x,1)]?\nu: [r(x,1) w(y,1)]?\nv: [r(y,0)]"), "--i");
  // An open read leaves the outcome open, and what depends on it.
  EXPECT_EQ(parts("s: [w(z,1)]?\nu: [r(z,1) w(x,1)]?\nv: [w(x,1)] [r(x,1)]"),
            "ooii");
}

TEST(Facts, AbortedTransactionsAreReadersOnlyIfTheHistoryJudgesThem) {
  EXPECT_EQ(parts("s: [r(x,1) w(y,1)]!"), "-");
  EXPECT_EQ(bad_reads("s: [r(x,1)]!"), "");
  EXPECT_EQ(parts("judge aborted\ns: [r(x,1) w(y,1)]!"), "i");
  EXPECT_EQ(bad_reads("judge aborted\ns: [r(x,1)]!"), "r(x)=1 thin-air");
}

TEST(Facts, TheLongestListReadShowsTheVersionOrder) {
  const std::string_view text =
      "s: t1:[a(l,1) a(l,2)] t2:[a(l,3)] t3:[a(l,4)]\n"
      "u: t4:[r(l,[1 2])] t5:[r(l,[1 2 3])] t6:[r(l,[])]";
  EXPECT_EQ(version_order(text), "t1 t2");
  EXPECT_EQ(sources(text), "t4: l<-t1; t5: l<-t2; t6: l<-init");
  EXPECT_EQ(bad_reads(text), "");
}

TEST(Facts, AfterOwnAppendsAListReadEndsInThem) {
  EXPECT_EQ(sources("s: t1:[a(l,1)]\nu: t2:[a(l,2) r(l,[1 2])]"), "t2: l<-t1");
  EXPECT_EQ(sources("s: t1:[a(l,1)]\nu: t2:[a(l,2) a(l,3) r(l,[2 3])]"),
            "t2: l<-init");
  EXPECT_EQ(bad_reads("s: [a(l,1)]\nu: [a(l,2) r(l,[1])]"),
            "r(l)=[1] internal append(l)=2");
}

TEST(Facts, NameWhatIsWrongWithAList) {
  EXPECT_EQ(bad_reads("s: [a(l,1)]! [r(l,[1])]"),
            "r(l)=[1] aborted append(l)=1");
  EXPECT_EQ(bad_reads("s: [a(l,1)]! [a(l,2)] [r(l,[1 2])]"),
            "r(l)=[1 2] aborted append(l)=1");
  EXPECT_EQ(bad_reads("s: [a(l,2)] [r(l,[1 2])]"), "r(l)=[1 2] thin-air");
  EXPECT_EQ(bad_reads("s: [a(l,1) a(l,2)] [r(l,[1])]"),
            "r(l)=[1] intermediate append(l)=1");
  EXPECT_EQ(bad_reads("s: [a(l,1)] [a(l,2)] [r(l,[1 2])] [r(l,[2])]"),
            "r(l)=[2] incompatible r(l)=[1 2]");
}

TEST(Facts, AListHasNoElementMoreOftenThanItWasAppended) {
  EXPECT_EQ(bad_reads("s: [a(l,1)] [r(l,[1 1])]"),
            "r(l)=[1 1] incompatible append(l)=1");
  EXPECT_EQ(bad_reads("s: [a(l,1)] [a(l,1)] [r(l,[1 1])] [r(l,[1])]"), "");
}

TEST(Facts, TheAppendsOfATransactionAreAdjacentAndInProgramOrder) {
  EXPECT_EQ(bad_reads("s: [a(l,1) a(l,2)] [r(l,[2 1])]"),
            "r(l)=[2 1] incompatible append(l)=2");
  EXPECT_EQ(bad_reads("s: [a(l,1) a(l,2)] [a(l,3)] [r(l,[1 3])]"),
            "r(l)=[1 3] incompatible append(l)=1");
  EXPECT_EQ(bad_reads("s: [a(l,1) a(l,2)] [r(l,[1 9 2])]"),
            "r(l)=[1 9 2] thin-air; r(l)=[1 9 2] incompatible append(l)=1");
  EXPECT_EQ(bad_reads("s: [a(l,1)] [a(l,2)] [r(l,[1 9 2])]"),
            "r(l)=[1 9 2] thin-air");
}

TEST(Facts, AListWithARepeatedElementIsOpenOnceTheElementIsRead) {
  const History unread = litmus("s: [a(l,1)] [a(l,1)] [r(l,[])]");
  EXPECT_FALSE(Facts(unread).is_open());
  const History read = litmus("s: [a(l,1)] [a(l,1)] [r(l,[1])]");
  const Facts facts(read);
  EXPECT_TRUE(facts.is_open());
  EXPECT_TRUE(facts.list_is_open(KeyId(0)));
  EXPECT_EQ(sources(read, facts, TxnId(3)), "l<-?(s#1 s#2)");
  EXPECT_EQ(facts.appends(KeyId(0), read.list(OpId(2))[0]),
            (std::vector<OpId>{OpId(0), OpId(1)}));
}

TEST(Facts, WritersAreThoseThatMayHaveCommitted) {
  const History history =
      litmus("s: [w(x,1)] [w(x,2)]!\nu: [w(x,3)]?\nv: [w(x,4)]? [r(x,4)]");
  const Facts facts(history);
  EXPECT_EQ(std::vector<TxnId>(facts.writers(KeyId(0)).begin(),
                               facts.writers(KeyId(0)).end()),
            (std::vector<TxnId>{TxnId(1), TxnId(4)}));
  EXPECT_TRUE(facts.writes(TxnId(2)).empty());
}

}  // namespace
}  // namespace txscope::check
