#include "lift/line.h"

#include <algorithm>
#include <cctype>

namespace txscope::lift {
namespace {

using Kind = sql::StatementShape::Kind;
using Role = sql::LiteralSlot::Role;

class LineWriter {
 public:
  LineWriter(const Template& of, const Tables& tables,
             const Relevance& relevance)
      : of_(of), tables_(tables), relevance_(relevance) {}

  Line write(std::size_t s, const std::vector<Replacement>& replaced,
             const Needs& needs) const {
    const sql::StatementShape& shape = of_.steps[s].shape();
    Line line;
    line.line = of_.steps[s].of.front().line;
    line.is_write = shape.is_write();
    line.ends_transaction = of_.steps[s].ends_transaction;
    if (shape.kind == Kind::Selects)
      select(s, replaced, needs, line);
    else if (shape.kind == Kind::Inserts)
      insert(s, replaced, needs, line);
    else
      change(s, replaced, line);
    return line;
  }

 private:
  static std::string render(const sql::StatementShape& shape,
                            std::uint32_t from, std::uint32_t to,
                            const std::vector<Replacement>& replaced) {
    std::string out;
    std::uint32_t at = from;
    for (std::size_t k = 0; k < replaced.size(); ++k) {
      const sql::LiteralSlot& slot = shape.slots[k];
      if (slot.offset < from || slot.offset >= to) continue;
      out.append(shape.text, at, slot.offset - at);
      out += replaced[k].text;
      at = slot.offset + slot.length;
    }
    out.append(shape.text, at, to - at);
    while (!out.empty() &&
           std::isspace(static_cast<unsigned char>(out.back())) != 0)
      out.pop_back();
    return out;
  }

  /// WHERE of the conditions on one table that are equalities.
  [[nodiscard]] std::string plain_where(
      std::size_t s, const std::string& table,
      const std::vector<Replacement>& replaced) const {
    const sql::StatementShape& shape = of_.steps[s].shape();
    std::string where;
    for (const auto& [column, k] : equalities(shape, table, tables_))
      where += (where.empty() ? " WHERE " : " AND ") + name_text(column) +
               " = " + replaced[k].text;
    return where;
  }

  void select(std::size_t s, const std::vector<Replacement>& replaced,
              const Needs& needs, Line& line) const {
    const sql::StatementShape& shape = of_.steps[s].shape();
    const std::string table = main_table(of_, s, relevance_);
    std::string columns;
    std::string into;
    const auto add = [&](const std::string& column) {
      columns += (columns.empty() ? "" : ", ") + name_text(column);
    };
    for (const auto& [column, variable] : needs) {
      add(column);
      into += (into.empty() ? "" : ", ") + variable;
    }
    const auto seen = relevance_.seen(shape, table);
    const LiftedTable* known = tables_.find(table);
    if (into.empty()) {
      for (const std::string& column : seen)
        if (column != "*") add(column);
      if (columns.empty() && known != nullptr && known->key.size() == 1)
        add(known->key[0]);
      if (columns.empty()) columns = "1";
    }
    const bool is_locked =
        std::any_of(shape.tables.begin(), shape.tables.end(),
                    [](const sql::TableUse& use) { return use.is_locked; });
    const std::string simple = " FROM " + name_text(table) +
                               plain_where(s, table, replaced) +
                               (is_locked ? " FOR UPDATE" : "");
    const bool keeps = shape.is_plain && shape.from != 0;
    std::string rest =
        keeps ? " " + render(shape, shape.from,
                             static_cast<std::uint32_t>(shape.text.size()),
                             replaced)
              : simple;
    if (keeps && shape.has_aggregate) {
      const std::string targets =
          render(shape, 0, shape.from, replaced).substr(6);
      line.text = "PERFORM" + targets + rest;
    } else {
      line.text = reading(columns, into, rest);
    }
    if (rest != simple) line.fallback = reading(columns, into, simple);
  }
  static std::string reading(const std::string& columns,
                             const std::string& into, const std::string& rest) {
    return into.empty() ? "PERFORM " + columns + rest
                        : "SELECT " + columns + " INTO " + into + rest;
  }

  void insert(std::size_t s, const std::vector<Replacement>& replaced,
              const Needs& needs, Line& line) const {
    const sql::StatementShape& shape = of_.steps[s].shape();
    const auto size = static_cast<std::uint32_t>(shape.text.size());
    const std::string table = main_table(of_, s, relevance_);
    std::uint32_t end = shape.returning != 0 ? shape.returning : size;
    line.text = render(shape, 0, end, replaced);
    add_conflict_target(table, line.text);
    if (shape.on_conflict != 0) {
      end = std::min(end, shape.on_conflict);
      line.fallback = render(shape, 0, end, replaced);
      if (line.fallback.ends_with("ON"))
        line.fallback.resize(line.fallback.size() - 2);
    }
    for (const auto& [column, variable] : needs) {
      const std::string returning =
          " RETURNING " + name_text(column) + " INTO " + variable;
      line.text += returning;
      if (!line.fallback.empty()) line.fallback += returning;
    }
  }

  /// What a column is SET to: the literal, or else something new that depends
  /// on what was there.
  [[nodiscard]] std::string plain_value(
      const sql::StatementShape& shape, const sql::NamedColumn& column,
      const std::vector<Replacement>& replaced) const {
    for (std::size_t k = 0; k < replaced.size(); ++k)
      if (shape.slots[k].role == Role::Assigned &&
          shape.slots[k].column == column)
        return replaced[k].text;
    const LiftedColumn* known = tables_.column(column);
    const std::string name = name_text(column.column);
    return known != nullptr && known->is_number()      ? name + " + 1"
           : known != nullptr && known->type == "text" ? name + " || '*'"
                                                       : "DEFAULT";
  }

  /// ON DUPLICATE KEY names no key, ON CONFLICT DO UPDATE has to.
  void add_conflict_target(const std::string& table, std::string& text) const {
    const std::size_t at = text.find("ON CONFLICT DO UPDATE");
    const LiftedTable* known = tables_.find(table);
    if (at == text.npos || known == nullptr) return;
    std::string key;
    for (const std::string& column : known->key)
      key += (key.empty() ? "" : ", ") + name_text(column);
    if (key.empty() && !known->unique.empty())
      key = name_text(*known->unique.begin());
    if (!key.empty()) text.insert(at + 11, " (" + key + ")");
  }

  void change(std::size_t s, const std::vector<Replacement>& replaced,
              Line& line) const {
    const sql::StatementShape& shape = of_.steps[s].shape();
    const auto size = static_cast<std::uint32_t>(shape.text.size());
    line.text = render(shape, 0, shape.returning != 0 ? shape.returning : size,
                       replaced);
    const std::string table = main_table(of_, s, relevance_);
    std::string simple = plain_where(s, table, replaced);
    if (shape.kind == Kind::Deletes) {
      line.fallback = "DELETE FROM " + name_text(table) + simple;
    } else {
      std::string sets;
      for (const sql::NamedColumn& column : shape.writes)
        sets += (sets.empty() ? "" : ", ") + name_text(column.column) + " = " +
                plain_value(shape, column, replaced);
      if (sets.empty()) return;
      line.fallback = "UPDATE " + name_text(table) + " SET " + sets + simple;
    }
  }

  const Template& of_;
  const Tables& tables_;
  const Relevance& relevance_;
};

}  // namespace

std::string main_table(const Template& of, std::size_t step,
                       const Relevance& relevance) {
  const sql::StatementShape& shape = of.steps[step].shape();
  if (std::string target = Relevance::target(shape); !target.empty())
    return target;
  for (const std::string& table : of.tables)
    if (!relevance.seen(shape, table).empty()) return table;
  return shape.tables.empty() ? std::string() : shape.tables.front().name;
}

std::map<std::string, std::size_t> equalities(const sql::StatementShape& shape,
                                              const std::string& table,
                                              const Tables& tables) {
  std::map<std::string, std::size_t> found;
  for (std::size_t k = 0; k < shape.slots.size(); ++k) {
    if (shape.slots[k].role != Role::Equals || shape.slots[k].is_null) continue;
    const auto column = tables.resolved(shape, shape.slots[k].column);
    if (column.table == table) found.emplace(column.column, k);
    for (const auto& [a, b] : shape.joins) {
      const auto x = tables.resolved(shape, a);
      const auto y = tables.resolved(shape, b);
      if (x == column && y.table == table) found.emplace(y.column, k);
      if (y == column && x.table == table) found.emplace(x.column, k);
    }
  }
  return found;
}

Line line_of(const Template& of, std::size_t step,
             const std::vector<Replacement>& replaced, const Needs& needs,
             const Tables& tables, const Relevance& relevance) {
  return LineWriter(of, tables, relevance).write(step, replaced, needs);
}

}  // namespace txscope::lift
