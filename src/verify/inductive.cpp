#include "verify/inductive.h"

#include <algorithm>
#include <set>

#include "model/sql/walk.h"

namespace txscope::verify {
namespace {

// Depth: Program::kMaxDepth.
void mentioned_tables(const Program& program, ExprId id,
                      std::set<std::uint32_t>& tables) {
  const Expr& e = program.at(id);
  if (e.op == Operator::FinalRow) tables.insert(e.ref);
  for (const ExprId arg : e.arg) {
    if (arg != kNone<ExprId>) mentioned_tables(program, arg, tables);
  }
}

/// The columns of tables that an expression or query names.
class MentionedColumns {
 public:
  using Column = std::pair<std::uint32_t, std::uint32_t>;  // table, column

  void add(const sql::Query& query) {
    around_.push_back(&query);
    sql::for_each_part(
        query, [this](const sql::Expr& e) { add(e); },
        [this](const sql::Query& inside) { add(inside); });
    around_.pop_back();
  }
  std::set<Column> columns;

 private:
  void add(const sql::Expr& e) {
    if (e.op == sql::Op::Column && e.level < around_.size()) {
      const sql::Query& query = *around_[around_.size() - 1 - e.level];
      const sql::Relation& relation = query.relations[e.relation];
      if (!relation.query) columns.emplace(relation.table.index, e.index);
    }
    sql::for_each_part(
        e, [this](const sql::Expr& arg) { add(arg); },
        [this](const sql::Query& inside) { add(inside); });
  }

  std::vector<const sql::Query*> around_;
};

}  // namespace

Program inductive(const Program& program) {
  Program out = program;
  std::set<std::uint32_t> tables;
  for (const EndCondition& end : program.end_conditions) {
    const Property& property = program.at(end.property);
    if (property.kind != PropertyKind::Invariant) continue;
    mentioned_tables(program, end.condition, tables);
    out.assumptions.push_back({property.name, end.condition, end.at});
  }
  for (const std::uint32_t t : tables) {
    for (Row& row : out.tables[t].rows) row.back() = Arbitrary{};
    out.arbitrary = out.tables[t].at;
  }
  return out;
}

sql::Application inductive(const sql::Application& application) {
  sql::Application out = application;
  MentionedColumns mentioned;
  for (const sql::Property& property : application.properties) {
    if (property.kind != PropertyKind::Invariant) continue;
    mentioned.add(*std::get<sql::Select>(property.condition.what));
    out.assumptions.push_back(property);
  }
  for (const auto& [table, column] : mentioned.columns) {
    const sql::Table& shape = application.schema.tables[table];
    if (!shape.has_primary_key) continue;
    const auto& key = shape.unique.front().columns;
    if (std::count(key.begin(), key.end(), column) != 0) continue;
    sql::OpenColumn open;
    open.table = TableId(table);
    open.column = column;
    open.rows = std::make_shared<sql::Query>();  // WHERE nothing: all rows
    open.at = shape.columns[column].at;
    out.arbitrary = open.at;
    out.open_columns.push_back(std::move(open));
  }
  return out;
}

}  // namespace txscope::verify
