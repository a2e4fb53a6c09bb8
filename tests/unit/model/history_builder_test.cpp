#include "model/history_builder.h"

#include <gtest/gtest.h>

namespace txscope {
namespace {

TEST(HistoryBuilder, GroupsInterleavedSessionsAndKeepsTheirOrder) {
  HistoryBuilder builder("h");
  const SessionId a = builder.session(builder.atoms().of_string("a"));
  const SessionId b = builder.session(builder.atoms().of_string("b"));
  const KeyId x = builder.key(builder.atoms().of_string("x"));
  int value = 0;
  for (const SessionId s : {a, b, a, b}) {
    builder.at_line(static_cast<std::uint64_t>(value) + 1);
    builder.begin(s);
    builder.write(x, builder.atoms().of_int(++value));
    builder.commit();
  }
  Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history);
  ASSERT_EQ(history->size(), 5u);
  EXPECT_EQ(history->name(TxnId(2)), "a#2");
  EXPECT_EQ(history->describe(OpId(history->at(TxnId(2)).first_op)), "w(x)=3");
  EXPECT_EQ(history->place(TxnId(2)).line, 3u);
  EXPECT_EQ(history->sessions()[1].first, TxnId(3));
  EXPECT_EQ(history->sessions()[1].end, TxnId(5));
  EXPECT_EQ(history->txn_of(OpId(3)), TxnId(4));
}

TEST(HistoryBuilder, AReopenedTransactionContinuesWhereItWas) {
  HistoryBuilder builder("h");
  builder.keep_op_lines();
  const KeyId x = builder.key(builder.atoms().of_string("x"));
  const auto write = [&](int value) {
    builder.at_line(static_cast<std::uint64_t>(value));
    builder.write(x, builder.atoms().of_int(value));
    builder.commit();
  };
  builder.begin(builder.session(builder.atoms().of_string("b")));
  write(1);
  builder.begin(builder.session(builder.atoms().of_string("a")));
  write(2);
  builder.reopen(1);
  write(3);
  builder.reopen(1);
  write(4);
  builder.reopen(2);
  write(5);
  builder.reopen(2);
  write(6);
  Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history);
  std::string shown;
  for (std::size_t t = 1; t < history->size(); ++t) {
    shown += history->name(TxnId(t)) + ":";
    for (std::size_t i = history->at(TxnId(t)).first_op;
         i < history->at(TxnId(t)).end_op; ++i)
      shown += " " + history->describe(OpId(i)) + "@" +
               std::to_string(history->place(OpId(i)).line);
    shown += "\n";
  }
  EXPECT_EQ(shown,
            "b#1: w(x)=1@1 w(x)=3@3 w(x)=4@4\n"
            "a#1: w(x)=2@2 w(x)=5@5 w(x)=6@6\n");
}

TEST(HistoryBuilder, TheSessionMayBecomeKnownLast) {
  HistoryBuilder builder("h");
  const SessionId a = builder.session(builder.atoms().of_string("a"));
  const SessionId b = builder.session(builder.atoms().of_string("b"));
  for (const SessionId s : {b, a, b}) {
    builder.begin(a);
    builder.set_session(s);
    builder.commit();
  }
  Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history);
  EXPECT_EQ(history->name(TxnId(1)), "a#1");
  EXPECT_EQ(history->name(TxnId(3)), "b#2");
}

TEST(HistoryBuilder, ListReadsShareTheirOrderAndStrayOnesAreKept) {
  HistoryBuilder builder("h");
  const KeyId l = builder.key(builder.atoms().of_string("l"));
  auto list = [&](std::initializer_list<int> values) {
    std::vector<Atom> atoms;
    for (const int v : values) atoms.push_back(builder.atoms().of_int(v));
    return atoms;
  };
  builder.begin(builder.anonymous_session());
  builder.read_list(l, list({1, 2}));
  builder.read_list(l, list({}));
  builder.read_list(l, list({1, 2, 3, 4, 5}));
  builder.read_list(l, list({2, 1}));
  builder.commit();
  Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history);
  EXPECT_EQ(history->describe(OpId(0)), "r(l)=[1 2]");
  EXPECT_EQ(history->describe(OpId(1)), "r(l)=[]");
  EXPECT_EQ(history->describe(OpId(2)), "r(l)=[.. 4 5]");
  EXPECT_EQ(history->describe(OpId(3)), "r(l)=[2 1]");
}

TEST(HistoryBuilder, RefusesAKeyThatIsRegisterAndList) {
  HistoryBuilder builder("h");
  const KeyId x = builder.key(builder.atoms().of_string("x"));
  builder.begin(builder.anonymous_session());
  builder.write(x, builder.atoms().of_int(1));
  builder.at_line(7);
  builder.append(x, builder.atoms().of_int(2));
  builder.commit();
  const Result<History> history = std::move(builder).finish();
  ASSERT_FALSE(history);
  EXPECT_EQ(to_string(history.error().where), "h:7");
  EXPECT_EQ(history.error().what,
            "key x is used both as a register and as a list");
}

TEST(HistoryBuilder, RefusesADuplicateTransactionId) {
  HistoryBuilder builder("h");
  for (int i = 1; i <= 2; ++i) {
    builder.at_line(static_cast<std::uint64_t>(i));
    builder.begin(builder.anonymous_session());
    builder.set_name(builder.atoms().of_string("t"));
    builder.commit();
  }
  const Result<History> history = std::move(builder).finish();
  ASSERT_FALSE(history);
  EXPECT_EQ(to_string(history.error().where), "h:2");
}

TEST(HistoryBuilder, GivesAReadOfNothingTheKindOfItsKey) {
  HistoryBuilder builder("h");
  const KeyId list = builder.key(builder.atoms().of_string("list"));
  const KeyId reg = builder.key(builder.atoms().of_string("reg"));
  const KeyId other = builder.key(builder.atoms().of_string("other"));
  builder.begin(builder.anonymous_session());
  for (const KeyId key : {list, reg, other}) builder.read_nothing(key);
  builder.append(list, builder.atoms().of_int(1));
  builder.write(reg, builder.atoms().of_int(1));
  builder.commit();
  const Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history);
  const auto ops = history->ops(TxnId(1));
  EXPECT_EQ(ops[0].kind, OpKind::ReadList);
  EXPECT_TRUE(history->list(ops[0]).empty());
  EXPECT_EQ(ops[1].kind, OpKind::Read);
  EXPECT_TRUE(ops[1].value.is_null());
  EXPECT_EQ(history->kind(other), KeyKind::Register);
}

TEST(HistoryBuilder, KeepsIntegersOfEverySize) {
  AtomTable atoms;
  EXPECT_EQ(atoms.text(atoms.of_int(INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(atoms.text(atoms.of_uint(UINT64_MAX)), "18446744073709551615");
  EXPECT_EQ(atoms.text(atoms.of_int(-1)), "-1");
  EXPECT_EQ(atoms.of_uint(INT64_MAX), atoms.of_int(INT64_MAX));
  EXPECT_NE(atoms.of_string("1"), atoms.of_int(1));
  EXPECT_NE(atoms.of_string("x"), atoms.of_keyword("x"));
}

// Values are kept in four bytes until one needs more.
TEST(HistoryBuilder, KeepsWhatWasReadBeforeTheFirstLargeValue) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  HistoryBuilder builder("h");
  const KeyId x = builder.key(builder.atoms().of_int(-1));
  const KeyId y = builder.key(builder.atoms().of_int(kLarge));
  const SessionId a = builder.session(builder.atoms().of_string("a"));
  const SessionId b = builder.session(builder.atoms().of_string("b"));
  for (std::int64_t i = 0; i < 4; ++i) {  // sessions in turn: ops are moved
    builder.begin(i % 2 == 0 ? a : b);
    builder.write(x, builder.atoms().of_int(i));
    builder.read(y, builder.atoms().of_int(i == 2 ? kLarge : -i));
    builder.commit();
  }
  const Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history);
  std::string all;
  for (std::uint32_t i = 0; i < history->ops().size(); ++i)
    all += history->describe(OpId(i)) + " ";
  EXPECT_EQ(all,
            "w(-1)=0 r(1099511627776)=0 w(-1)=2 r(1099511627776)=1099511627776 "
            "w(-1)=1 r(1099511627776)=-1 w(-1)=3 r(1099511627776)=-3 ");
}

TEST(HistoryBuilder, KeepsTimesAndNamesOfThoseWhoHaveThem) {
  HistoryBuilder builder("h");
  const SessionId a = builder.session(builder.atoms().of_string("a"));
  const SessionId b = builder.session(builder.atoms().of_string("b"));
  builder.begin(b);
  builder.commit();
  builder.begin(a);
  builder.set_times(3, 5);
  builder.set_name(builder.atoms().of_string("t"));
  builder.commit();
  builder.begin(b);
  builder.set_times(7, 9);
  builder.end(Status::Unknown);
  builder.begin(a);
  builder.commit();
  const Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history);
  // b was named first in a transaction, a first of all.
  EXPECT_EQ(history->name(TxnId(1)), "t");
  EXPECT_EQ(history->at(TxnId(1)).start, 3);
  EXPECT_EQ(history->at(TxnId(1)).end, 5);
  EXPECT_EQ(history->name(TxnId(2)), "a#2");
  EXPECT_EQ(history->at(TxnId(2)).start, Txn::kNoTime);
  EXPECT_EQ(history->name(TxnId(3)), "b#1");
  EXPECT_EQ(history->at(TxnId(3)).end, Txn::kNoTime);
  EXPECT_EQ(history->at(TxnId(4)).start, 7);
  EXPECT_EQ(history->at(TxnId(4)).end, Txn::kNoTime) << "its end is unknown";
}

TEST(HistoryBuilder, NamesAreOnOneLine) {
  HistoryBuilder builder("h");
  auto& atoms = builder.atoms();
  builder.begin(builder.session(atoms.of_string("a\nb")));
  builder.write(builder.key(atoms.of_keyword("x\t")),
                atoms.of_string("\x1b[31m\r"));
  builder.commit();
  const Result<History> history = std::move(builder).finish();
  ASSERT_TRUE(history);
  EXPECT_EQ(history->name(TxnId(1)), "a\\nb#1");
  EXPECT_EQ(history->describe(OpId(0)), "w(:x\\t)=\\x1b[31m\\x0d");
}

}  // namespace
}  // namespace txscope
