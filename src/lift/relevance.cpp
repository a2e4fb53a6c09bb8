#include "lift/relevance.h"

namespace txscope::lift {

using Kind = sql::StatementShape::Kind;

std::string Relevance::target(const sql::StatementShape& shape) {
  for (const sql::TableUse& use : shape.tables)
    if (use.is_written) return use.name;
  return {};
}

Relevance::Relevance(const Runs& runs, const Tables& tables,
                     const std::set<std::string>& ignored)
    : tables_(tables) {
  for (const Run& run : runs.runs)
    for (const RunTransaction& transaction : run.transactions)
      for (const RunStatement& step : transaction.steps) {
        const std::string table = target(*step.shape);
        if (table.empty() || ignored.count(table) != 0) continue;
        Changes& changes = written_[table];
        if (step.shape->kind == Kind::Updates)
          for (const sql::NamedColumn& column : step.shape->writes)
            changes.columns.insert(column.column);
        else
          changes.rows = true;
      }
}

std::set<std::string> Relevance::seen(const sql::StatementShape& shape,
                                      const std::string& table) const {
  const auto found = written_.find(table);
  if (found == written_.end()) return {};
  bool uses = false;
  for (const sql::TableUse& use : shape.tables) uses |= use.name == table;
  if (!uses) return {};
  std::set<std::string> columns;
  for (const sql::NamedColumn& raw : shape.reads) {
    const sql::NamedColumn column = tables_.resolved(shape, raw);
    if (column.table != table && !column.table.empty()) continue;
    if (column.column == "*")
      columns.insert(found->second.columns.begin(),
                     found->second.columns.end());
    else if (found->second.columns.count(column.column) != 0)
      columns.insert(column.column);
  }
  if (found->second.rows) columns.insert("*");
  return columns;
}

bool Relevance::matters(const sql::StatementShape& shape,
                        const std::set<std::string>& of) const {
  if (shape.is_write() && of.count(target(shape)) != 0) return true;
  if (shape.kind != Kind::Selects && !shape.is_write()) return false;
  for (const std::string& table : of)
    if (!seen(shape, table).empty()) return true;
  return false;
}

}  // namespace txscope::lift
