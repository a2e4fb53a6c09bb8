#include <gtest/gtest.h>

#include <string>

#include "shown_history.h"

namespace txscope {
namespace {

// Invocation and completion of one operation on text, by process 0.
std::string done(const std::string& f, const std::string& key,
                 const std::string& value) {
  const std::string rest =
      ", :process 0, :f :" + f + ", :key \"" + key + "\", :value ";
  return "{:type :invoke" + rest + (f == "get" ? "nil" : value) + "}\n" +
         "{:type :ok" + rest + value + "}\n";
}

TEST(JepsenText, TurnsAppendsThatWereSeenIntoReadsAndWritesOfTheWholeText) {
  EXPECT_EQ(shown_of(done("append", "k", "\"a\"") + done("get", "k", "\"a\"") +
                 done("append", "k", "\"b\"") + done("append", "k", "\"c\"") +
                 done("get", "k", "\"abc\"")),
            "0#1 c 0-1 @2: r(k)= w(k)=a\n"
            "0#2 c 2-3 @4: r(k)=a\n"
            "0#3 c 4-5 @6: r(k)=a w(k)=ab\n"
            "0#4 c 6-7 @8: r(k)=ab w(k)=abc\n"
            "0#5 c 8-9 @10: r(k)=abc\n");
}

TEST(JepsenText, TurnsAppendsThatNobodySawIntoWritesOfTheirOwn) {
  EXPECT_EQ(shown_of(done("append", "k", "\"a\"") + done("append", "k", "\"b\"") +
                 done("put", "k", "\"p\"") + done("append", "k", "\"c\"") +
                 done("get", "k", "\"pc\"")),
            "0#1 c 0-1 @2: w(k)=unseen-1\n"
            "0#2 c 2-3 @4: w(k)=unseen-2\n"
            "0#3 c 4-5 @6: w(k)=p\n"
            "0#4 c 6-7 @8: r(k)=p w(k)=pc\n"
            "0#5 c 8-9 @10: r(k)=pc\n");
}

TEST(JepsenText, KeepsATextThatNobodyCanHaveMade) {
  EXPECT_EQ(shown_of(done("append", "k", "\"a\"") + done("get", "k", "\"ax\"")),
            "0#1 c 0-1 @2: w(k)=unseen-1\n"
            "0#2 c 2-3 @4: r(k)=ax\n");
}

TEST(JepsenText, SeparatesKeys) {
  EXPECT_EQ(shown_of(done("append", "k", "\"a\"") + done("append", "l", "\"a\"") +
                 done("get", "l", "\"a\"") + done("get", "m", "nil")),
            "0#1 c 0-1 @2: w(k)=unseen-1\n"
            "0#2 c 2-3 @4: r(l)= w(l)=a\n"
            "0#3 c 4-5 @6: r(l)=a\n"
            "0#4 c 6-7 @8: r(m)=\n");
}

TEST(JepsenText, RefusesATextWithSeveralExplanations) {
  EXPECT_EQ(shown_of(done("append", "k", "\"a\"") + done("append", "k", "\"aa\"") +
                 done("get", "k", "\"aaa\"")),
            "h:6: what the get returned can be put together from the appended "
            "pieces in several ways");
}

// The first "a" was seen before the second was appended.
TEST(JepsenText, TellsEqualAppendsApartByTime) {
  EXPECT_EQ(shown_of(done("append", "k", "\"a\"") + done("get", "k", "\"a\"") +
                 done("put", "k", "\"p\"") + done("append", "k", "\"a\"") +
                 done("get", "k", "\"pa\"")),
            "0#1 c 0-1 @2: r(k)= w(k)=a\n"
            "0#2 c 2-3 @4: r(k)=a\n"
            "0#3 c 4-5 @6: w(k)=p\n"
            "0#4 c 6-7 @8: r(k)=p w(k)=pa\n"
            "0#5 c 8-9 @10: r(k)=pa\n");
}

// Either append may have made "a"; the other was never seen.  Exactly one of
// the explanations of each takes effect, as all of them need the token.
TEST(JepsenText, OffersEveryExplanationOfAppendsThatTimeDoesNotTellApart) {
  EXPECT_EQ(
      shown_of("{:type :invoke, :process 0, :f :append, :key 1, :value \"a\"}\n"
           "{:type :invoke, :process 1, :f :append, :key 1, :value \"a\"}\n"
           "{:type :ok, :process 0, :f :append, :key 1, :value \"a\"}\n"
           "{:type :info, :process 1, :f :append, :key 1, :value \"a\"}\n" +
           done("get", "x", "nil") +
           "{:type :ok, :process 2, :f :get, :key 1, :value \"a\"}\n"),
      "0#1 c 0-2 @3: r(append 1)=done\n"
      "0#2 c 4-5 @6: r(x)=\n"
      "1#1 u 1- @4:\n"
      "2#1 c 0-6 @7: r(1)=a\n"
      "#1#1 u 0- @3: r(append 1)= w(append 1)=done r(1)= w(1)=a\n"
      "#2#1 u 0- @3: r(append 1)= w(append 1)=done w(1)=unseen-1\n"
      "#3#1 u 1- @4: r(append 2)= w(append 2)=done r(1)= w(1)=a\n"
      "#4#1 u 1- @4: r(append 2)= w(append 2)=done w(1)=unseen-2\n");
}

TEST(JepsenText, GivesUnknownAndFailedOperationsWhatTheyMayHaveDone) {
  EXPECT_EQ(
      shown_of("{:type :invoke, :process 0, :f :append, :key 1, :value \"a\"}\n"
           "{:type :info, :process 0, :f :append, :key 1, :value nil}\n"
           "{:type :invoke, :process 1, :f :append, :key 1, :value \"b\"}\n"
           "{:type :fail, :process 1, :f :append, :key 1, :value nil}\n"
           "{:type :invoke, :process 1, :f :get, :key 1, :value nil}\n"
           "{:type :fail, :process 1, :f :get, :key 1, :value nil}\n"
           "{:type :ok, :process 2, :f :get, :key 1, :value \"ab\"}\n"),
      "0#1 u 0- @2: r(1)= w(1)=a\n"
      "1#1 a 2-3 @4: w(1)=ab\n"
      "1#2 a 4-5 @6:\n"
      "2#1 c 0-6 @7: r(1)=ab\n");
}

TEST(JepsenText, KeepsLongTextsApartWithoutKeepingThem) {
  std::string text;
  std::string events;
  for (int i = 0; i < 300; ++i) {
    const std::string piece = "<" + std::to_string(i) + ">";
    events += done("append", "k", "\"" + piece + "\"");
    text += piece;
  }
  auto source = read::open_history_text(
      "h", events + done("get", "k", "\"" + text + "\""), {});
  ASSERT_TRUE(source);
  auto history = (*source)->next();
  ASSERT_TRUE(history);
  // Each append reads what the one before it wrote, and the get the last.
  const auto ops = (**history).ops();
  ASSERT_EQ(ops.size(), 601u);
  for (std::size_t i = 2; i < ops.size(); i += 2)
    EXPECT_EQ(ops[i].value, ops[i - 1].value);
  for (std::size_t i = 3; i < ops.size(); i += 2)
    EXPECT_NE(ops[i].value, ops[i - 2].value);
  EXPECT_LT((**history).atoms().text(ops.back().value).size(), 200u);
}

TEST(JepsenText, RefusesWhatIsNoText) {
  EXPECT_EQ(shown_of("{:type :ok, :process 0, :f :put, :key 1, :value 3}"),
            "h:1:49: expected a string, found an integer");
  EXPECT_EQ(shown_of("{:type :ok, :process 0, :f :put, :value \"x\"}"),
            "h:1:28: 'put' needs a :key");
  EXPECT_EQ(shown_of("{:type :ok, :process 0, :f :write, :value 1}\n"
                 "{:type :ok, :process 0, :f :put, :key 1, :value \"x\"}"),
            "h:2: get/put/append and other operations in one history");
}

}  // namespace
}  // namespace txscope
