#include "audit/tables/unknown_tables.h"

#include <algorithm>

#include "audit/tables/words.h"
#include "base/ascii.h"
#include "model/sql/walk.h"

namespace txscope::audit {
namespace {

bool is_reading(const std::string& sql) {
  const std::size_t at = sql.find_first_not_of(" \t\n(");
  if (at == sql.npos) return true;
  std::string word = ascii::lower(sql.substr(at, 6));
  return word == "select" || word == "show" || word == "explai";
}

/// Whether it calls functions of the setup, which may look at any table.
bool has_call(const sql::Query& q);
bool has_call(const sql::Expr& e) {
  bool is_any = e.op == sql::Op::Function;
  sql::for_each_part(
      e, [&](const sql::Expr& arg) { is_any |= has_call(arg); },
      [&](const sql::Query& q) { is_any |= has_call(q); });
  return is_any;
}
bool has_call(const sql::Query& q) {
  bool is_any = false;
  sql::for_each_part(
      q, [&](const sql::Expr& e) { is_any |= has_call(e); },
      [&](const sql::Query& inside) { is_any |= has_call(inside); });
  return is_any;
}

/// A change of the parent's rows changes those of the child.
bool follows(const sql::ForeignKey& key) {
  return key.on_delete != sql::OnDelete::NoAction ||
         key.on_update != sql::OnDelete::NoAction;
}

}  // namespace

void UnknownTables::add(TableId table) {
  if (is_unknown_[table.index]) return;
  is_unknown_[table.index] = true;
  ++count_;
  for (std::size_t t = 0; t < setup_.schema.tables.size(); ++t)
    for (const sql::ForeignKey& key : setup_.schema.tables[t].foreign)
      if (key.parent == table && follows(key)) add(TableId(t));
}

void UnknownTables::add_all() {
  is_unknown_.assign(is_unknown_.size(), true);
  count_ = is_unknown_.size();
}

bool UnknownTables::may_write(const std::string& sql, const Error& why) const {
  // A query may call what writes, also something that the setup does not have.
  return !is_reading(sql) || why.what.starts_with("unknown function") ||
         names_routine(sql);
}

bool UnknownTables::names_routine(const std::string& sql) const {
  return std::any_of(setup_.routines.begin(), setup_.routines.end(),
                     [&](const sql::Routine& routine) {
                       return names_word(sql, routine.name);
                     });
}

void UnknownTables::forget(const std::string& sql, const Error& why) {
  if (!may_write(sql, why)) return;
  const auto& tables = setup_.schema.tables;
  const bool has_triggers =
      std::any_of(tables.begin(), tables.end(),
                  [](const auto& table) { return !table.triggers.empty(); });
  // Who runs routines may write anything, and who names no table, too.
  bool is_any = false;
  if (!is_reading(sql) && !has_calls_ && !has_triggers)
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (!names_word(sql, tables[t].name)) continue;
      is_any = true;
      add(TableId(t));
    }
  if (!is_any) add_all();
}

void UnknownTables::meet_call() {
  has_calls_ = true;
  if (!empty()) add_all();
}

bool UnknownTables::touches(const Prepared& prepared) const {
  if (empty()) return false;
  if (prepared.runs_routines()) return true;
  if (!prepared.is_sql()) return false;
  bool is_any = false;
  const auto see = [&](TableId table) { is_any |= is_unknown_[table.index]; };
  sql::for_each_part(
      *prepared.statement,
      [&](const sql::Expr& e) {
        is_any |= has_call(e);
        sql::for_each_table(e, see);
      },
      [&](const sql::Query& q) {
        is_any |= has_call(q);
        sql::for_each_table(q, see);
      });
  const sql::Relation* target = prepared.statement->target();
  if (target == nullptr) return is_any;
  see(target->table);
  for (std::size_t t = 0; t < setup_.schema.tables.size(); ++t)
    for (const sql::ForeignKey& key : setup_.schema.tables[t].foreign) {
      if (TableId(t) == target->table) see(key.parent);
      if (key.parent == target->table) see(TableId(t));
    }
  return is_any;
}

bool UnknownTables::spread(const Prepared& prepared) {
  if (!touches(prepared)) return false;
  const std::size_t before = count_;
  if (prepared.runs_routines()) {
    add_all();
  } else if (const sql::Relation* target = prepared.statement->target()) {
    add(target->table);
  }
  return count_ > before;
}

std::vector<std::string> UnknownTables::names() const {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < is_unknown_.size(); ++t)
    if (is_unknown_[t]) names.push_back(setup_.schema.tables[t].name);
  return names;
}

void UnknownTables::resume(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (std::size_t t = 0; t < setup_.schema.tables.size(); ++t)
      if (setup_.schema.tables[t].name == name) add(TableId(t));
}

}  // namespace txscope::audit
