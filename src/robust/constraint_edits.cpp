#include "robust/constraint_edits.h"

#include <algorithm>
#include <optional>
#include <set>

#include "model/sql/walk.h"

namespace txscope::robust {
namespace {

using sql::Expr;
using sql::Op;
using sql::Query;
using sql::Table;

constexpr std::size_t kMostConstraints = 6;

/// The columns of a query's only table that it looks for by their values.
std::set<std::uint32_t> columns_looked_for(const Query& q) {
  std::set<std::uint32_t> out;
  if (q.relations.size() != 1 || q.relations[0].query || !q.where) return out;
  std::vector<const Expr*> todo = {&*q.where};
  while (!todo.empty()) {
    const Expr& e = *todo.back();
    todo.pop_back();
    if (e.op == Op::And) {
      for (const Expr& arg : e.args) todo.push_back(&arg);
    }
    if (e.op != Op::Equal) continue;
    for (const Expr& side : e.args) {
      const Expr* column = &side;
      while (column->op == Op::Cast) column = &column->args[0];
      if (column->op == Op::Column && column->level == 0)
        out.insert(column->index);
    }
  }
  return out;
}

class ConstraintFinder {
 public:
  ConstraintFinder(const sql::Application& application, const std::string& text)
      : schema_(application.schema),
        text_(text),
        is_inserted_(schema_.tables.size()) {
    for (const sql::Routine& routine : application.routines) {
      sql::for_each_statement(routine.body, [&](const sql::DbStatement& d) {
        if (const auto* insert = std::get_if<sql::Insert>(&d.what))
          is_inserted_[insert->target.table.index] = true;
      });
    }
    for (const sql::Routine& routine : application.routines) {
      sql::for_each_statement(routine.body,
                              [&](const sql::DbStatement& d) { look_at(d); });
    }
    find_foreign_keys();
  }

  std::vector<Edit> edits() { return std::move(out_); }

 private:
  void look_at(const sql::DbStatement& d) {
    sql::for_each_part(
        d, [this](const Expr& e) { look_at(e); },
        [this](const Query& q) { look_at(q); });
  }
  void look_at(const Expr& e) {
    sql::for_each_part(
        e, [this](const Expr& arg) { look_at(arg); },
        [this](const Query& q) { look_at(q); });
  }
  void look_at(const Query& q) {
    sql::for_each_part(
        q, [this](const Expr& e) { look_at(e); },
        [this](const Query& inside) { look_at(inside); });
    const auto columns = columns_looked_for(q);
    if (columns.empty()) return;
    const TableId table = q.relations[0].table;
    const Table& shape = schema_.at(table);
    if (!is_inserted_[table.index]) return;
    const bool is_unique = std::any_of(
        shape.unique.begin(), shape.unique.end(), [&](const auto& key) {
          return std::all_of(key.columns.begin(), key.columns.end(),
                             [&](auto c) { return columns.contains(c); });
        });
    if (is_unique) return;
    std::string names;
    for (const std::uint32_t c : columns)
      names += (names.empty() ? "" : ", ") + shape.columns[c].name;
    add(shape, "UNIQUE (" + names + ")");
  }

  /// A column that is called as a table is, or as its key.
  void find_foreign_keys() {
    for (const Table& child : schema_.tables) {
      for (std::uint32_t c = 0; c < child.columns.size(); ++c) {
        const bool is_known = std::any_of(
            child.foreign.begin(), child.foreign.end(), [&](const auto& key) {
              return std::find(key.columns.begin(), key.columns.end(), c) !=
                     key.columns.end();
            });
        if (!is_known) find_parent(child, c);
      }
    }
  }
  void find_parent(const Table& child, std::uint32_t c) {
    const std::string& name = child.columns[c].name;
    for (const Table& parent : schema_.tables) {
      if (&parent == &child || !parent.has_primary_key ||
          parent.unique.front().columns.size() != 1) {
        continue;
      }
      const sql::Column& key = parent.columns[parent.unique.front().columns[0]];
      const bool is_called_so =
          name == parent.name || name + "s" == parent.name ||
          name == parent.name + "_id" ||
          (name.ends_with("_id") &&
           name.substr(0, name.size() - 3) + "s" == parent.name);
      if (!is_called_so || key.type.name != child.columns[c].type.name)
        continue;
      add(child, "FOREIGN KEY (" + name + ") REFERENCES " + parent.name + " (" +
                     key.name + ")");
    }
  }

  void add(const Table& table, const std::string& constraint) {
    Edit edit;
    edit.offset = text_.size();
    edit.text = (text_.ends_with('\n') ? "" : "\n") +
                ("ALTER TABLE " + table.name) + " ADD " + constraint + ";\n";
    edit.what = "declare " + constraint + " of " + table.name;
    const bool is_known =
        std::any_of(out_.begin(), out_.end(),
                    [&](const Edit& e) { return e.text == edit.text; });
    if (!is_known && out_.size() < kMostConstraints)
      out_.push_back(std::move(edit));
  }

  const sql::Schema& schema_;
  const std::string& text_;
  std::vector<bool> is_inserted_;
  std::vector<Edit> out_;
};

}  // namespace

std::vector<Edit> constraint_edits(const sql::Application& application,
                                   const std::string& text) {
  return ConstraintFinder(application, text).edits();
}

}  // namespace txscope::robust
