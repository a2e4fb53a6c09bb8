// What MySQL makes of values: each expectation is what MariaDB 10.11 answers;
// fuzz_mysql compares many more with a live server.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "exec/sql/mysql/convert.h"
#include "exec/sql/query/evaluate.h"
#include "exec/sql/routine/process.h"
#include "model/sql/mysql/typing.h"

namespace txscope::sql {
namespace {

using namespace mysql;

class NoRowsAtAll final : public Store {
 public:
  bool scan(const Access&, const OnRow&) override { return true; }
};

/// As the client is shown it, or the code of the error.
std::string value_of(const Expr& e) {
  const Application application;
  const Routines routines(application);
  NoRowsAtAll none;
  const Budget unlimited = Budget::unlimited();
  Evaluator evaluator(routines, none, {}, unlimited);
  const Expr seen = shown(e);
  const auto value = evaluator.value(seen);
  if (const auto* error = std::get_if<SqlError>(&value))
    return "error " + error->sqlstate;
  const Value& found = std::get<Value>(value);
  return found.is_null() ? "NULL" : text_of(found, seen.type);
}

Expr text(std::string_view of) { return literal(of, {}); }
Expr number(std::int64_t of) { return literal(of, {}); }
Expr op(Operator which, Expr a, Expr b) {
  return operation(which, std::move(a), std::move(b), {});
}
std::string of(std::string_view function, std::vector<Expr> operands) {
  return value_of(*call(function, std::move(operands), {}));
}

TEST(Mysql, ATextIsTheNumberThatItBeginsWith) {
  EXPECT_EQ(value_of(op(Operator::Add, text("12abc"), number(1))), "13");
  EXPECT_EQ(value_of(op(Operator::Equal, text("12abc"), number(12))), "1");
  EXPECT_EQ(value_of(op(Operator::Equal, text("abc"), number(0))), "1");
  EXPECT_EQ(value_of(op(Operator::Less, text("10"), text("9"))), "1");
  EXPECT_EQ(value_of(op(Operator::Less, text("10"), number(9))), "0");
}

TEST(Mysql, DivisionHasFourDecimalsMoreAndNoZero) {
  EXPECT_EQ(value_of(op(Operator::Divide, number(7), number(2))), "3.5000");
  EXPECT_EQ(value_of(op(Operator::Divide, number(1), number(0))), "NULL");
  EXPECT_EQ(value_of(op(Operator::IntDivide, number(-7), number(2))), "-3");
  Expr third = op(Operator::Divide, number(1), number(3));
  EXPECT_EQ(value_of(third), "0.3333");
  EXPECT_EQ(value_of(op(Operator::Divide, third, number(7))), "0.04761905");
}

TEST(Mysql, WhatLeavesBigintIsError1690) {
  const std::int64_t most = 9223372036854775807;
  EXPECT_EQ(value_of(op(Operator::Add, number(most), number(1))), "error 1690");
  Expr three = cast(number(3), integer_type(8, true), {});
  EXPECT_EQ(value_of(op(Operator::Subtract, three, number(4))), "error 1690");
  EXPECT_EQ(value_of(inverted(number(0), {})), "18446744073709551615");
  EXPECT_EQ(value_of(cast(number(-1), integer_type(8, true), {})),
            "18446744073709551615");
}

TEST(Mysql, BitsMoveByRealsToEvenAndByWhatTextsBeginWith) {
  const auto moved = [](Expr by) {
    return value_of(op(Operator::ShiftLeft, number(1), std::move(by)));
  };
  EXPECT_EQ(moved(literal(2.5, {})), "4");
  EXPECT_EQ(moved(literal(3.5, {})), "16");
  EXPECT_EQ(moved(text("3.5")), "8");
  EXPECT_EQ(value_of(op(Operator::ShiftLeft, literal(2.5, {}), number(0))),
            "3");
  EXPECT_EQ(of("bin", {text("")}), "NULL");
  EXPECT_EQ(of("bin", {text(" ")}), "0");
}

TEST(Mysql, TextsAreEqualWithoutCaseAccentsAndSpacesAtTheEnd) {
  EXPECT_EQ(value_of(op(Operator::Equal, text("abc"), text("ABC  "))), "1");
  EXPECT_EQ(value_of(op(Operator::Equal, text("\u00e4"), text("A"))), "1");
  EXPECT_EQ(value_of(op(Operator::Like, text("abc"), text("%B%"))), "1");
  EXPECT_EQ(value_of(op(Operator::Equal, collated(text("a"), kPaddedBytes, {}),
                        text("A"))),
            "0");
}

TEST(Mysql, NullIsEqualToNullForOneOperator) {
  EXPECT_EQ(value_of(op(Operator::Equal, null({}), null({}))), "NULL");
  EXPECT_EQ(value_of(op(Operator::NullSafeEqual, null({}), null({}))), "1");
  EXPECT_EQ(value_of(op(Operator::Xor, number(1), null({}))), "NULL");
}

TEST(Mysql, FunctionsOfTextsAndTimes) {
  EXPECT_EQ(of("substring", {text("hello"), number(-3), number(2)}), "ll");
  EXPECT_EQ(of("substring_index", {text("a.b.c"), text("."), number(-2)}),
            "b.c");
  EXPECT_EQ(of("lpad", {text("a"), number(5), text("xy")}), "xyxya");
  EXPECT_EQ(of("find_in_set", {text("B"), text("a,b,c")}), "2");
  EXPECT_EQ(of("sha1", {text("a")}),
            "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8");
  EXPECT_EQ(of("concat", {text("a"), null({})}), "NULL");
  EXPECT_EQ(of("concat_ws", {text(","), text("a"), null({}), text("b")}),
            "a,b");
  EXPECT_EQ(of("date_format",
               {text("2024-02-03 14:05:06"), text("%Y-%m-%d %H:%i %W %j %U")}),
            "2024-02-03 14:05 Saturday 034 04");
  EXPECT_EQ(of("timestampdiff",
               {text("YEAR"), text("2020-02-29"), text("2024-02-28")}),
            "3");
  EXPECT_EQ(
      value_of(date_add(text("2024-01-31"), number(1), "MONTH", false, {})),
      "2024-02-29");
}

TEST(Mysql, AColumnTakesWhatFitsOrSaysWhyNot) {
  const auto into = [](Expr e, Type column, bool is_strict) {
    Strictness how;
    how.is_strict = is_strict;
    return value_of(assigned(std::move(e), column, how, {}));
  };
  EXPECT_EQ(into(number(300), integer_type(1), true), "error 22003");
  EXPECT_EQ(into(number(300), integer_type(1), false), "127");
  EXPECT_EQ(into(text("abcd"), varchar_type(3), true), "error 22001");
  EXPECT_EQ(into(text("abcd"), varchar_type(3), false), "abc");
  EXPECT_EQ(into(text("12x"), integer_type(4), true), "error 1265");
  EXPECT_EQ(into(text("x"), integer_type(4), true), "error 1366");
  EXPECT_EQ(into(text("2024-02-30"), kDate, true), "error 1292");
  EXPECT_EQ(into(text("2024-02-30"), kDate, false), "0000-00-00");
  EXPECT_EQ(into(literal(Int128{2345}, 3, {}), decimal_type(5, 2), true),
            "2.35");
}

}  // namespace
}  // namespace txscope::sql
