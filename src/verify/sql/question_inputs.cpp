// What is open: arguments, rows of the setup, keys.

#include <algorithm>

#include "analysis/footprint.h"
#include "symbolic/routine/triggers.h"
#include "verify/sql/sql_question_maker.h"

namespace txscope::verify {

using smt::Term;

/// What writing a table sets off; tables that no call writes may have it.
void SqlQuestionMaker::refuse_tables() {
  std::vector<bool> is_written(schema().tables.size());
  for (const sql::Session& session : application_.sessions) {
    for (const sql::Call& call : session.calls) {
      const auto print = analysis::footprint_of(application_, call.routine);
      for (std::size_t t = 0; t < is_written.size(); ++t)
        if (print.writes[t]) is_written[t] = true;
    }
  }
  for (std::size_t t = 0; t < is_written.size(); ++t) {
    const sql::Table& table = schema().tables[t];
    const std::string refusal =
        is_written[t] ? symbolic::SymbolicTriggers::refusal(application_, table)
                      : "";
    if (!refusal.empty())
      throw symbolic::Unsupported{table.triggers.front().at, refusal};
    if (is_written[t] && !table.partial.empty())
      throw symbolic::Unsupported{table.at, table.partial.front().what()};
    // Rows are told apart by their primary key, at every moment.
    if (is_written[t] && table.has_primary_key &&
        table.unique.front().is_deferrable)
      throw symbolic::Unsupported{table.at, "a DEFERRABLE primary key"};
    for (const sql::ForeignKey& key : table.foreign)
      if (key.on_delete != sql::OnDelete::NoAction &&
          is_written[key.parent.index] && !table.triggers.empty())
        throw symbolic::Unsupported{key.at,
                                    "ON DELETE to a table with triggers"};
    for (const sql::ForeignKey& key : table.foreign)
      if (key.on_update != sql::OnDelete::NoAction &&
          is_written[key.parent.index])
        throw symbolic::Unsupported{key.at, "ON UPDATE CASCADE"};
  }
}

void SqlQuestionMaker::find_keys() {
  std::set<std::int64_t> keys;
  for (std::size_t i = 0; i < schema().tables.size(); ++i) {
    if (!schema().tables[i].has_primary_key) continue;
    for (const symbolic::KeyUniverse::Entry& entry :
         universe_.keys(TableId(i))) {
      for (const sql::Value& v : entry.key)
        if (v.kind() == sql::Kind::Integer) keys.insert(v.integer());
    }
  }
  out_.keys.assign(keys.begin(), keys.end());
}

void SqlQuestionMaker::make_arguments() {
  for (std::size_t s = 0; s < application_.sessions.size(); ++s) {
    const sql::Session& session = application_.sessions[s];
    first_of_session_.push_back(calls_.size());
    for (std::size_t c = 0; c < session.calls.size(); ++c) {
      calls_.push_back({s, c, &session.calls[c]});
      out_.question.transactions.push_back(
          application_.at(session.calls[c].routine).name);
      arguments_.push_back(arguments_of(s, c));
    }
  }
}

std::vector<symbolic::SqlTerm> verify::SqlQuestionMaker::arguments_of(
    std::size_t s, std::size_t c) {
  const sql::Session& session = application_.sessions[s];
  const sql::Call& call = session.calls[c];
  if (call.level) {
    throw symbolic::Unsupported{call.at, "a level of its own (--@ level)"};
  }
  const sql::Routine& routine = application_.at(call.routine);
  std::vector<symbolic::SqlTerm> out;
  for (std::size_t a = 0; a < call.arguments.size(); ++a) {
    const sql::Variable& parameter = routine.variables[a + 1];
    if (call.open.empty() || !call.open[a]) {
      out.push_back(q_->cast(q_->constant(call.arguments[a]), parameter.type,
                             true, call.at));
      continue;
    }
    SqlQuestion::Origin origin;
    origin.session = s;
    origin.call = c;
    origin.argument = a;
    origin.name = session.name + "." + call.label + "." + parameter.name;
    out.push_back(open(origin, parameter.type, true, call.at));
  }
  return out;
}

symbolic::SqlTerm SqlQuestionMaker::open(SqlQuestion::Origin& origin,
                                         const sql::Type& type,
                                         bool is_nullable, Span at) {
  const Term null =
      is_nullable ? t_->unknown(origin.name + " is null") : t_->boolean(false);
  origin.value = q_->unknown(origin.name, type, null, at);
  origin.type = type.name;
  const Term number = origin.value.kind == sql::Kind::Bool
                          ? t_->as_integer(origin.value.value)
                          : origin.value.value;
  out_.question.inputs.push_back(
      {origin.name, t_->choose(null, t_->integer(0), number)});
  if (t_->is_unbounded() && origin.value.kind == sql::Kind::Integer) {
    out_.question.ranges.push_back(
        t_->within(number, symbolic::range_of(type.name)));
  }
  out_.origins.push_back(origin);
  return origin.value;
}

void SqlQuestionMaker::find_open_rows() {
  for (const sql::OpenColumn& column : application_.open_columns) {
    const sql::Table& table = schema().at(column.table);
    if (!table.has_primary_key) {
      throw symbolic::Unsupported{column.at,
                                  "an open column without a primary key"};
    }
    const auto& key = table.unique.front().columns;
    if (std::count(key.begin(), key.end(), column.column) != 0) {
      throw symbolic::Unsupported{column.at, "an open primary key"};
    }
    const auto keys = universe_.keys(column.table);
    for (std::size_t r = 0; r < keys.size(); ++r) {
      const Place place(column.table.index, keys[r].key);
      if (open_columns_[place].contains(column.column)) continue;
      if (!is_open(column, keys[r].initial)) continue;
      SqlQuestion::Origin origin;
      origin.table = column.table;
      origin.key = keys[r].key;
      origin.column = column.column;
      origin.name = table.name + "." + table.columns[column.column].name + "[" +
                    key_text(keys[r].key) + "]";
      open_columns_[place].emplace(
          column.column,
          open(origin, table.columns[column.column].type,
               table.columns[column.column].is_nullable, column.at));
    }
  }
}

std::string SqlQuestionMaker::key_text(const sql::Row& key) {
  std::string text;
  for (const sql::Value& v : key) {
    if (!text.empty()) text += ",";
    text += to_string(v);
  }
  return text;
}

bool SqlQuestionMaker::is_open(const sql::OpenColumn& column,
                               const sql::Row& row) {
  const auto& where = column.rows->where;
  if (!where) return true;
  symbolic::TermRow terms;
  for (const sql::Value& v : row) terms.push_back(q_->constant(v));
  const symbolic::TermRow* names[] = {&terms};
  symbolic::SymbolicQueries queries(*q_, {}, {});
  const Term holds =
      q_->is_true(queries.evaluate(*where, {names, nullptr, nullptr}));
  if (!t_->is_true(holds) && !t_->is_false(holds)) {
    throw symbolic::Unsupported{column.at, "this condition of an open column"};
  }
  return t_->is_true(holds);
}

void SqlQuestionMaker::make_initial() {
  initial_.clear();
  for (std::size_t i = 0; i < schema().tables.size(); ++i) {
    const sql::Table& table = schema().tables[i];
    initial_.emplace_back();
    for (const symbolic::KeyUniverse::Entry& entry :
         universe_.keys(TableId(i))) {
      initial_.back().push_back(initial_row(table, i, entry));
    }
  }
}

symbolic::GuardedRow SqlQuestionMaker::initial_row(
    const sql::Table& table, std::size_t i,
    const symbolic::KeyUniverse::Entry& entry) {
  symbolic::GuardedRow row;
  row.present = t_->boolean(entry.is_initial);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const sql::Type& type = table.columns[c].type;
    if (kind_of(type.name) == sql::Kind::Numeric && type.size == 0) {
      throw symbolic::Unsupported{table.columns[c].at,
                                  "numeric without a precision"};
    }
    symbolic::SqlTerm value = q_->null_of(kind_of(type.name));
    if (entry.is_initial && !entry.initial[c].is_null()) {
      value = q_->constant(entry.initial[c]);
    } else if (!table.columns[c].is_nullable) {
      value.null = t_->boolean(false);  // of a row that is not there
      value.scale = symbolic::scale_of(type);
    }
    row.columns.push_back(value);
  }
  if (!entry.is_initial && table.has_primary_key) {
    const auto& key = table.unique.front().columns;
    for (std::size_t k = 0; k < key.size(); ++k) {
      row.columns[key[k]] = q_->constant(entry.key[k]);
    }
  }
  const auto open = open_columns_.find(Place(i, entry.key));
  if (open == open_columns_.end()) return row;
  for (const auto& [column, value] : open->second) {
    row.columns[column] = value;
  }
  return row;
}

}  // namespace txscope::verify
