#include "audit/attempt/answer.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exec/sql/value/compare.h"
#include "model/product/error_class.h"
#include "model/sql/value/parse_value.h"

namespace txscope::audit {
namespace {

using sql::Kind;
using sql::Row;
using sql::Value;

bool is_number(const Value& value) {
  return value.kind() == Kind::Integer || value.kind() == Kind::Numeric;
}

bool is_same_number(const Value& number, const Value& observed) {
  if (is_number(observed)) return sql::compare(number, observed) == 0;
  if (observed.kind() == Kind::Bool)
    return sql::compare(number, Value::integer(observed.integer())) == 0;
  if (observed.kind() != Kind::Text) return false;
  const auto parsed = sql::parse_value(observed.text(), sql::TypeName::Numeric);
  return parsed && sql::compare(number, *parsed) == 0;
}

bool is_same_bool(const Value& value, const Value& observed) {
  if (observed.kind() == Kind::Bool || observed.kind() == Kind::Integer)
    return observed.integer() == value.integer();
  if (observed.kind() != Kind::Text) return false;
  const auto parsed = sql::parse_value(observed.text(), sql::TypeName::Boolean);
  return parsed && *parsed == value;
}

bool is_same_row(const Row& computed, std::size_t columns,
                 const Row& observed) {
  if (observed.size() != columns) return false;
  for (std::size_t i = 0; i < columns; ++i)
    if (!is_same_value(computed[i], observed[i])) return false;
  return true;
}

using Rows = std::span<const Row>;

/// Columns where both sides have integers only, or texts only, so that values
/// that are the same have the same hash.
std::vector<std::size_t> hashed_columns(Rows rows, Rows observed,
                                        std::size_t columns) {
  std::vector<std::size_t> hashed;
  for (std::size_t c = 0; c < columns; ++c) {
    const auto all_are = [c](Rows side, Kind kind) {
      return std::all_of(side.begin(), side.end(), [&](const Row& row) {
        return c < row.size() && (row[c].is_null() || row[c].kind() == kind);
      });
    };
    for (const Kind kind : {Kind::Integer, Kind::Text})
      if (all_are(rows, kind) && all_are(observed, kind)) {
        hashed.push_back(c);
        break;
      }
  }
  return hashed;
}

/// Whether the observed rows can be some of these, each once.
bool can_show(Rows rows, std::size_t columns, Rows observed) {
  constexpr std::size_t kFew = 8;
  if (rows.size() == 1 && observed.size() == 1)
    return is_same_row(rows[0], columns, observed[0]);
  const std::vector<std::size_t> hashed =
      rows.size() <= kFew ? std::vector<std::size_t>()
                          : hashed_columns(rows, observed, columns);
  const auto hash_of = [&hashed](const Row& row) {
    std::uint64_t hash = 0;
    for (const std::size_t c : hashed)
      hash = hash * 0x9e3779b97f4a7c15ull + row[c].hash();
    return hash;
  };
  std::unordered_map<std::uint64_t, std::vector<const Row*>> unused;
  for (const Row& row : rows) unused[hash_of(row)].push_back(&row);
  return std::all_of(observed.begin(), observed.end(), [&](const Row& shown) {
    auto& candidates = unused[hash_of(shown)];
    const auto found = std::find_if(
        candidates.begin(), candidates.end(), [&](const Row* candidate) {
          return is_same_row(*candidate, columns, shown);
        });
    if (found == candidates.end()) return false;
    candidates.erase(found);
    return true;
  });
}

bool have_same_keys(const Row& a, const Row& b, std::size_t columns) {
  for (std::size_t i = columns; i < a.size(); ++i) {
    if (a[i].is_null() != b[i].is_null()) return false;
    if (!a[i].is_null() && sql::compare(a[i], b[i]) != 0) return false;
  }
  return true;
}

/// SKIP LOCKED: some of the rows, in their order, and no more than LIMIT.
bool shows_some(const std::vector<Row>& rows, std::size_t columns,
                const std::optional<std::uint64_t>& limit, Rows observed) {
  if (limit && observed.size() > *limit) return false;
  std::size_t at = 0;
  for (std::size_t from = 0; from < rows.size() && at < observed.size();) {
    std::size_t to = from + 1;
    while (to < rows.size() && have_same_keys(rows[from], rows[to], columns))
      ++to;
    // As many as these can be leave least to the rest.
    std::size_t take = std::min(to - from, observed.size() - at);
    while (take > 0 && !can_show(Rows(rows).subspan(from, to - from), columns,
                                 observed.subspan(at, take)))
      --take;
    at += take;
    from = to;
  }
  return at == observed.size();
}

bool explains_rows(const Prepared& prepared, const Answer& answer,
                   const std::vector<Row>& observed) {
  const std::vector<Row>& rows = answer.rows;
  const std::size_t columns = prepared.shown_columns();
  if (prepared.skips_locked())
    return shows_some(rows, columns, answer.window.limit, observed);
  const std::size_t skipped =
      std::min<std::size_t>(answer.window.offset, rows.size());
  std::size_t shown = rows.size() - skipped;
  if (answer.window.limit)
    shown = std::min<std::size_t>(shown, *answer.window.limit);
  if (observed.size() != shown) return false;
  if (shown == 0) return true;
  // Runs of equal keys, in order; without ORDER BY all rows are one.
  std::size_t from = 0;
  std::size_t at = 0;
  while (from < rows.size() && at < shown) {
    std::size_t to = from + 1;
    while (to < rows.size() && have_same_keys(rows[from], rows[to], columns))
      ++to;
    const std::size_t first = std::max(from, skipped);
    const std::size_t last = std::min(to, skipped + shown);
    if (first < last) {
      const std::size_t take = last - first;
      if (!can_show(Rows(rows).subspan(from, to - from), columns,
                    Rows(observed).subspan(at, take)))
        return false;
      at += take;
    }
    from = to;
  }
  return at == shown;
}

bool is_same_error(const sql::SqlError& error, const sql::LogError& observed) {
  if (observed.sqlstate == error.sqlstate) return true;
  // MariaDB has one state for all constraints.
  const std::string_view state = observed.sqlstate;
  const ErrorRow* number = find_error(observed.code);
  if (error.sqlstate.starts_with(sqlstate::kConstraintClass) &&
      (state == sqlstate::kConstraint ||
       (number != nullptr && is_constraint(number->is))))
    return true;
  return state.size() == 5 && state.substr(2) == "000" &&
         error.sqlstate.starts_with(state.substr(0, 2));
}

std::string row_text(const Row& row, std::size_t columns) {
  std::string text = "(";
  for (std::size_t i = 0; i < columns && i < row.size(); ++i)
    text += (i == 0 ? "" : ", ") + to_string(row[i]);
  return text + ")";
}

std::string rows_text(const std::vector<Row>& rows, std::size_t from,
                      std::size_t count, std::size_t columns) {
  constexpr std::size_t kMost = 6;
  if (count == 0) return "no rows";
  std::string text = count == 1 ? "1 row:" : std::to_string(count) + " rows:";
  for (std::size_t i = 0; i < std::min(count, kMost); ++i)
    text += " " + row_text(rows[from + i], columns);
  if (count > kMost) text += " ...";
  return text;
}

}  // namespace

bool is_same_value(const Value& computed, const Value& observed) {
  if (computed.is_null() || observed.is_null())
    return computed.is_null() == observed.is_null();
  switch (computed.kind()) {
    case Kind::Integer:
    case Kind::Numeric: return is_same_number(computed, observed);
    case Kind::Bool: return is_same_bool(computed, observed);
    case Kind::Text:
      if (observed.kind() == Kind::Text) return computed == observed;
      return computed.text() == to_string(observed);
    case Kind::Date:
    case Kind::Timestamp: {
      if (observed.kind() != Kind::Text) return false;
      const auto parsed =
          sql::parse_value(observed.text(), computed.kind() == Kind::Date
                                                ? sql::TypeName::Date
                                                : sql::TypeName::Timestamp);
      return parsed && sql::compare(*parsed, computed) == 0;
    }
    case Kind::Null: break;
    default:
      // Other types are compared as the server shows them.
      return observed.kind() == Kind::Text
                 ? observed.text() == to_string(computed)
                 : computed == observed;
  }
  return false;
}

bool is_always_possible(const sql::LogError& error) {
  if (error.sqlstate.starts_with(sqlstate::kConnectionClass)) return true;
  for (const ErrorRow* row :
       {find_error(error.sqlstate), find_error(error.code)})
    if (row != nullptr && txscope::is_always_possible(row->is)) return true;
  return false;
}

bool explains(const Prepared& prepared, const Answer& answer,
              const sql::LogStatement& observed) {
  if (observed.error)
    return answer.error && is_same_error(*answer.error, *observed.error);
  if (answer.error) return false;
  if (prepared.hides_answer) return true;
  if (observed.rows && !explains_rows(prepared, answer, *observed.rows))
    return false;
  if (!observed.count) return true;
  std::uint64_t count = answer.count;
  if (prepared.shows_query()) {
    count -= std::min(count, answer.window.offset);
    if (answer.window.limit) count = std::min(count, *answer.window.limit);
  }
  return prepared.skips_locked() ? *observed.count <= count
                                 : *observed.count == count;
}

void number_rows(const sql::Query& query, std::vector<Row>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].resize(rows[i].size() + query.order_by.size(),
                   Value::integer(static_cast<std::int64_t>(i)));
}

std::string describe(const Prepared& prepared, const Answer& answer) {
  if (answer.error)
    return "error " + answer.error->sqlstate + ": " + answer.error->message;
  const std::size_t columns = prepared.shown_columns();
  const bool has_rows = prepared.shows_query() || columns != 0;
  if (prepared.is_call() && !has_rows) return "done";
  if (!has_rows) return "count " + std::to_string(answer.count);
  const std::size_t from =
      std::min<std::size_t>(answer.window.offset, answer.rows.size());
  std::size_t count = answer.rows.size() - from;
  if (answer.window.limit)
    count = std::min<std::size_t>(count, *answer.window.limit);
  return rows_text(answer.rows, from, count, columns);
}

std::string with_parameters(const sql::LogStatement& observed) {
  std::string text;
  const std::string& sql = observed.sql;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    std::size_t number = 0;
    std::size_t end = i + 1;
    while (sql[i] == '$' && end < sql.size() && sql[end] >= '0' &&
           sql[end] <= '9' && number < 100000)
      number = number * 10 + static_cast<std::size_t>(sql[end++] - '0');
    if (number == 0 || number > observed.parameters.size()) {
      text += sql[i];
      continue;
    }
    text += to_string(observed.parameters[number - 1]);
    i = end - 1;
  }
  return text;
}

std::string describe(const sql::LogStatement& observed) {
  if (observed.error)
    return "error " + observed.error->sqlstate + ": " + observed.error->message;
  if (observed.rows)
    return rows_text(*observed.rows, 0, observed.rows->size(), ~std::size_t{0});
  if (observed.count) return "count " + std::to_string(*observed.count);
  return "nothing observed";
}

}  // namespace txscope::audit
