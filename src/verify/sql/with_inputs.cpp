#include "verify/sql/with_inputs.h"

#include <algorithm>
#include <map>

namespace txscope::sql {

Value value_of(const SqlQuestion& question, const SqlQuestion::Origin& input,
               const smt::Model& model) {
  const SqlTerm& term = input.value;
  if (model.truth(term.null)) return {};
  const std::int64_t value = model.integer(term.value);
  switch (term.kind) {
    case Kind::Bool: return Value::boolean(value != 0);
    case Kind::Text:
      if (input.type == TypeName::Uuid &&
          !question.texts.texts().contains(value))
        return uuid_of(TextOrder::kMost + value);
      return Value::text(question.lengths.stretched(
          question.texts.text(value).text(), term.value, model));
    case Kind::Numeric: return Value::numeric(value, term.scale);
    case Kind::Date: return Value::date(value);
    case Kind::Timestamp: return Value::timestamp(value);
    case Kind::TimestampTz: return Value::timestamptz(value);
    case Kind::Time: return Value::time(value);
    case Kind::Enum: return label_of(term.scale, value);
    default: return Value::integer(value);
  }
}

namespace {

Expr constant_of(const Value& value, const Type& type) {
  Expr e;
  e.op = Op::Constant;
  e.type = type;
  e.value = value;
  return e;
}

/// UPDATE table SET column = value, ... WHERE key = ...
DbStatement update_of(const Application& application, TableId table,
                      const Row& key, std::vector<SetColumn> set) {
  const Table& shape = application.schema.at(table);
  Update update;
  update.target.name = shape.name;
  update.target.table = table;
  update.target.columns = static_cast<std::uint32_t>(shape.columns.size());
  update.set = std::move(set);
  Expr where;
  where.op = Op::And;
  where.type = kBoolean;
  const auto& columns = shape.unique.front().columns;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Expr column;
    column.op = Op::Column;
    column.type = shape.columns[columns[k]].type;
    column.index = columns[k];
    Expr equal;
    equal.op = Op::Equal;
    equal.type = kBoolean;
    equal.args = {column, constant_of(key[k], column.type)};
    where.args.push_back(std::move(equal));
  }
  update.where = where.args.size() == 1 ? where.args[0] : where;
  DbStatement statement;
  statement.at = shape.at;
  statement.what = std::move(update);
  return statement;
}

}  // namespace

std::vector<InputValue> input_values(const SqlQuestion& question,
                                     const smt::Model& model) {
  std::vector<InputValue> out;
  for (const SqlQuestion::Origin& origin : question.origins) {
    const Value value = value_of(question, origin, model);
    InputValue input;
    input.name = origin.name;
    input.text = to_string(value);
    if (value.kind() == Kind::Integer) input.number = value.integer();
    out.push_back(std::move(input));
  }
  return out;
}

bool has_open_inputs(const Application& application) {
  if (!application.open_columns.empty()) return true;
  for (const Session& session : application.sessions) {
    for (const Call& call : session.calls) {
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
    if (origin.value.kind == Kind::Bool) {
      same.push_back(value != 0 ? origin.value.value
                                : t.negation(origin.value.value));
    } else {
      same.push_back(t.equal(origin.value.value, t.integer(value)));
    }
  }
  return t.negation(t.all_of(same));
}

Application with_inputs(const Application& application,
                        const SqlQuestion& question, const smt::Model& model) {
  Application out = application;
  std::map<std::pair<std::uint32_t, Row>, std::vector<SetColumn>> changes;
  for (const SqlQuestion::Origin& from : question.origins) {
    const Value value = value_of(question, from, model);
    if (!from.table) {
      Call& call = out.sessions[from.session].calls[from.call];
      call.arguments[from.argument] = value;
      call.open.clear();
      call.is_made = true;
      continue;
    }
    const Type& type =
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

}  // namespace txscope::sql
