#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/program.h"
#include "model/sql/expr.h"
#include "model/sql/value/value.h"
#include "smt/terms.h"
#include "symbolic/value/text_lengths.h"
#include "symbolic/value/text_order.h"

namespace txscope::symbolic {

class FunctionCalls;

/// Thrown inside this folder for what cannot be encoded; verify_sql() names it.
struct Unsupported {
  Span at;
  std::string what;
};

/// An SQL value over terms.  `value` is a formula for booleans, else an
/// integer: of a numeric its digits (the scale is known), of a date its days,
/// of a text its number in the order of texts, of a label its position.
struct SqlTerm {
  smt::Term null;
  smt::Term value;
  sql::Kind kind = sql::Kind::Null;
  unsigned scale = 0;      ///< of a numeric; of a label the number of its type
  std::size_t length = 0;  ///< of a text: at most so many bytes
};

/// The values of an integer type.
[[nodiscard]] smt::Bounds range_of(sql::TypeName type);

/// The scale of a type's values, as SqlTerm has it.
[[nodiscard]] unsigned scale_of(const sql::Type& type);

/// The longest value of a text type; without a limit more than any.
[[nodiscard]] std::size_t longest(const sql::Type& type);

/// The label at that position of an enum.
[[nodiscard]] sql::Value label_of(unsigned type, std::int64_t position);

using TermRow = std::vector<SqlTerm>;

/// A row that may be there.
struct GuardedRow {
  smt::Term present;
  TermRow columns;
};

/// The meaning of SQL's operators on values over terms, three-valued logic and
/// errors included.  What fails adds to `error` under the condition under which
/// it is evaluated.
class SqlTerms {
 public:
  explicit SqlTerms(smt::Terms& terms);

  smt::Terms& t;
  /// What evaluated so far has failed: SQLSTATE and when.
  std::vector<std::pair<std::string, smt::Term>> errors;
  smt::Term cut;   ///< a loop of a function has more rounds than were unrolled
  smt::Term path;  ///< what is evaluated now is evaluated only then
  /// Open numerics without a precision have so many digits after the point,
  /// and whether there are any.
  unsigned open_scale = 2;
  bool has_open_numerics = false;
  static constexpr unsigned kOpenDigits = 15;
  /// Runs calls of functions; without it they are refused.
  FunctionCalls* functions = nullptr;

  void fail_if(smt::Term condition, std::string code) {
    const smt::Term now = t.all_of({path, condition});
    if (!t.is_false(now)) errors.emplace_back(std::move(code), now);
  }
  /// Something has failed.
  [[nodiscard]] smt::Term has_failed() {
    std::vector<smt::Term> any;
    for (const auto& [code, when] : errors) any.push_back(when);
    return t.any_of(any);
  }

  [[nodiscard]] SqlTerm constant(const sql::Value& value);
  [[nodiscard]] SqlTerm null_of(sql::Kind kind);
  [[nodiscard]] SqlTerm boolean(smt::Term value, smt::Term null);
  [[nodiscard]] SqlTerm integer(smt::Term value);
  /// Its value, if that is known.
  [[nodiscard]] std::optional<sql::Value> value(const SqlTerm& a) const;
  /// A Boolean that is true: neither false nor NULL.
  [[nodiscard]] smt::Term is_true(const SqlTerm& a);
  [[nodiscard]] smt::Term is_false(const SqlTerm& a);

  /// `then` where the condition is true; kinds and scales are made one.
  [[nodiscard]] SqlTerm choose(smt::Term condition, SqlTerm then,
                               SqlTerm otherwise);
  /// Equal and both not NULL.
  [[nodiscard]] smt::Term equal(const SqlTerm& a, const SqlTerm& b, Span at);
  /// NULL is equal to NULL.
  [[nodiscard]] smt::Term same(const SqlTerm& a, const SqlTerm& b, Span at);
  [[nodiscard]] smt::Term less(const SqlTerm& a, const SqlTerm& b, Span at);
  [[nodiscard]] SqlTerm compare(sql::Op op, const SqlTerm& a, const SqlTerm& b,
                                Span at);
  [[nodiscard]] SqlTerm arithmetic(const sql::Expr& e, const SqlTerm& a,
                                   const SqlTerm& b);
  [[nodiscard]] SqlTerm cast(const SqlTerm& a, const sql::Type& to,
                             bool is_assignment, Span at);
  /// floor, ceil or round to a whole number, of a numeric.
  [[nodiscard]] SqlTerm rounded(sql::Op op, const SqlTerm& a, Span at);
  /// An unknown value of a type; `null` as given.
  [[nodiscard]] SqlTerm unknown(const std::string& name, const sql::Type& type,
                                smt::Term null, Span at);
  /// A text of which nothing is known, not NULL.
  [[nodiscard]] SqlTerm any_text(const std::string& name);
  [[nodiscard]] const TextOrder& texts() const { return texts_; }
  [[nodiscard]] const TextLengths& lengths() const { return lengths_; }
  /// length(): the characters of a text.
  [[nodiscard]] SqlTerm length(const SqlTerm& text);
  /// 22003 unless it fits into the type.
  void check_range(const SqlTerm& a, sql::TypeName type);

 private:
  void align(SqlTerm& a, SqlTerm& b);
  /// A date or an instant as the other; none if it is neither.
  [[nodiscard]] std::optional<SqlTerm> as_time(const SqlTerm& a,
                                               const sql::Type& to);
  [[nodiscard]] smt::Term power(unsigned exponent, Span at);
  [[nodiscard]] SqlTerm rescaled(SqlTerm a, unsigned scale, Span at);

  TextOrder texts_;
  TextLengths lengths_;
};

}  // namespace txscope::symbolic
