#include "verify/sql/with_inputs.h"

#include <algorithm>
#include <map>

namespace txscope::verify {

sql::Value value_of(const SqlQuestion& question,
                    const SqlQuestion::Origin& input, const smt::Model& model) {
  const symbolic::SqlTerm& term = input.value;
  if (model.truth(term.null)) return {};
  const std::int64_t value = model.integer(term.value);
  switch (term.kind) {
    case sql::Kind::Bool: return sql::Value::boolean(value != 0);
    case sql::Kind::Text:
      if (input.type == sql::TypeName::Uuid &&
          !question.texts.texts().contains(value))
        return symbolic::uuid_of(symbolic::TextOrder::kMost + value);
      return sql::Value::text(question.lengths.stretched(
          question.texts.text(value).text(), term.value, model));
    case sql::Kind::Numeric: return sql::Value::numeric(value, term.scale);
    case sql::Kind::Date: return sql::Value::date(value);
    case sql::Kind::Timestamp: return sql::Value::timestamp(value);
    case sql::Kind::TimestampTz: return sql::Value::timestamptz(value);
    case sql::Kind::Time: return sql::Value::time(value);
    case sql::Kind::Enum: return symbolic::label_of(term.scale, value);
    default: return sql::Value::integer(value);
  }
}

namespace {

sql::Expr constant_of(const sql::Value& value, const sql::Type& type) {
  sql::Expr e;
  e.op = sql::Op::Constant;
  e.type = type;
  e.value = value;
  return e;
}

/// UPDATE table SET column = value, ... WHERE key = ...
sql::DbStatement update_of(const sql::Application& application, TableId table,
                           const sql::Row& key,
                           std::vector<sql::SetColumn> set) {
  const sql::Table& shape = application.schema.at(table);
  sql::Update update;
  update.target.name = shape.name;
  update.target.table = table;
  update.target.columns = static_cast<std::uint32_t>(shape.columns.size());
  update.set = std::move(set);
  sql::Expr where;
  where.op = sql::Op::And;
  where.type = sql::kBoolean;
  const auto& columns = shape.unique.front().columns;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    sql::Expr column;
    column.op = sql::Op::Column;
    column.type = shape.columns[columns[k]].type;
    column.index = columns[k];
    sql::Expr equal;
    equal.op = sql::Op::Equal;
    equal.type = sql::kBoolean;
    equal.args = {column, constant_of(key[k], column.type)};
    where.args.push_back(std::move(equal));
  }
  update.where = where.args.size() == 1 ? where.args[0] : where;
  sql::DbStatement statement;
  statement.at = shape.at;
  statement.what = std::move(update);
  return statement;
}

}  // namespace

std::vector<InputValue> input_values(const SqlQuestion& question,
                                     const smt::Model& model) {
  std::vector<InputValue> out;
  for (const SqlQuestion::Origin& origin : question.origins) {
    const sql::Value value = value_of(question, origin, model);
    InputValue input;
    input.name = origin.name;
    input.text = to_string(value);
    if (value.kind() == sql::Kind::Integer) input.number = value.integer();
    out.push_back(std::move(input));
  }
  return out;
}

bool has_open_inputs(const sql::Application& application) {
  if (!application.open_columns.empty()) return true;
  for (const sql::Session& session : application.sessions) {
    for (const sql::Call& call : session.calls) {
      if (std::count(call.open.begin(), call.open.end(), true) != 0) {
        return true;
      }
    }
  }
  return false;
}

smt::Term other_inputs(const SqlQuestion& question, const smt::Model& model) {
  smt::Terms& t = *question.question.terms;
  std::vector<smt::Term> same;
  for (const SqlQuestion::Origin& origin : question.origins) {
    const smt::Term null = origin.value.null;
    const bool is_null = model.truth(null);
    same.push_back(is_null ? null : t.negation(null));
    if (is_null) continue;
    const std::int64_t value = model.integer(origin.value.value);
    if (origin.value.kind == sql::Kind::Bool) {
      same.push_back(value != 0 ? origin.value.value
                                : t.negation(origin.value.value));
    } else {
      same.push_back(t.equal(origin.value.value, t.integer(value)));
    }
  }
  return t.negation(t.all_of(same));
}

sql::Application with_inputs(const sql::Application& application,
                             const SqlQuestion& question,
                             const smt::Model& model) {
  sql::Application out = application;
  std::map<std::pair<std::uint32_t, sql::Row>, std::vector<sql::SetColumn>>
      changes;
  for (const SqlQuestion::Origin& from : question.origins) {
    const sql::Value value = value_of(question, from, model);
    if (!from.table) {
      sql::Call& call = out.sessions[from.session].calls[from.call];
      call.arguments[from.argument] = value;
      call.open.clear();
      call.is_made = true;
      continue;
    }
    const sql::Type& type =
        application.schema.at(*from.table).columns[from.column].type;
    changes[{from.table->index, from.key}].push_back(
        {from.column, constant_of(value, type)});
  }
  for (auto& [row, set] : changes) {
    out.setup.push_back(
        update_of(application, TableId(row.first), row.second, std::move(set)));
  }
  out.open_columns.clear();
  out.arbitrary.reset();
  return out;
}

}  // namespace txscope::verify
