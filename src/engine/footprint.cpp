#include "engine/footprint.h"

#include <variant>

namespace txscope::engine {
namespace {

/// Walks statements; the nesting of blocks and expressions is what the front
/// end allows, and each routine is entered once.
class Walker {
 public:
  explicit Walker(const sql::Application& application)
      : application_(application), entered_(application.routines.size()) {
    print_.reads.resize(application.schema.tables.size());
    print_.writes.resize(application.schema.tables.size());
  }

  void walk(const sql::DbStatement& statement) {
    std::visit([this](const auto& what) { walk(what); }, statement.what);
    for (const sql::Target& target : statement.returning) walk(target.expr);
  }
  void walk(sql::RoutineId routine) {
    if (entered_[routine.index]) return;
    entered_[routine.index] = true;
    walk(application_.at(routine).body);
  }
  [[nodiscard]] Footprint done() {
    // Deleting a parent may change its children.
    const auto& tables = application_.schema.tables;
    for (bool is_growing = true; is_growing;) {
      is_growing = false;
      for (std::size_t t = 0; t < tables.size(); ++t) {
        for (const sql::ForeignKey& key : tables[t].foreign) {
          if (!print_.writes[key.parent.index] || print_.writes[t] ||
              (key.on_delete == sql::OnDelete::NoAction &&
               key.on_update == sql::OnDelete::NoAction)) {
            continue;
          }
          print_.writes[t] = true;
          is_growing = true;
        }
      }
    }
    return std::move(print_);
  }

 private:
  void walk(const sql::Expr& expr) {
    if (expr.op == sql::Op::Function) walk(sql::RoutineId(expr.index));
    for (const sql::Expr& arg : expr.args) walk(arg);
    if (expr.query) walk(*expr.query);
  }
  void walk(const std::optional<sql::Expr>& expr) {
    if (expr) walk(*expr);
  }
  void walk(const sql::Relation& relation) {
    if (relation.query)
      walk(*relation.query);
    else if (relation.table != kNone<TableId>)
      print_.reads[relation.table.index] = true;
  }
  void walk(const sql::Query& query) {
    for (const sql::Relation& relation : query.relations) walk(relation);
    for (const sql::Join& join : query.joins) walk(join.on);
    walk(query.where);
    for (const sql::Expr& expr : query.group_by) walk(expr);
    for (const sql::Aggregate& a : query.aggregates) walk(a.argument);
    walk(query.having);
    for (const sql::Target& target : query.targets) walk(target.expr);
    for (const sql::SortKey& key : query.order_by) walk(key.expr);
    walk(query.limit);
    walk(query.offset);
    for (const auto& part : query.parts) walk(*part);
    for (const auto& row : query.values)
      for (const sql::Expr& expr : row) walk(expr);
  }
  void walk(const sql::Select& select) { walk(*select); }
  void walk(const std::vector<sql::SetColumn>& set) {
    for (const sql::SetColumn& column : set) walk(column.value);
  }
  void write(TableId table) {
    print_.writes[table.index] = true;
    for (const sql::Trigger& t : application_.schema.at(table).triggers)
      walk(sql::RoutineId(t.routine));
  }
  void walk(const sql::Insert& insert) {
    write(insert.target.table);
    for (const auto& row : insert.rows)
      for (const auto& value : row) walk(value);
    if (insert.source) walk(*insert.source);
    if (!insert.on_conflict) return;
    walk(insert.on_conflict->set);
    walk(insert.on_conflict->where);
  }
  void walk(const sql::Update& update) {
    write(update.target.table);
    walk(update.target);
    walk(update.set);
    walk(update.where);
  }
  void walk(const sql::Delete& remove) {
    write(remove.target.table);
    walk(remove.target);
    walk(remove.where);
  }

  void walk(const sql::PlBlock& block) {
    for (const sql::PlStatement& statement : block)
      std::visit([this](const auto& what) { walk(what); }, statement.what);
  }
  void walk(const sql::PlAssign& s) { walk(s.value); }
  void walk(const sql::PlExecute& s) { walk(s.statement); }
  void walk(const sql::PlCall& s) {
    walk(s.routine);
    for (const sql::Expr& argument : s.arguments) walk(argument);
  }
  void walk(const sql::PlIf& s) {
    for (const sql::PlIf::Arm& arm : s.arms) {
      walk(arm.condition);
      walk(arm.before);
      walk(arm.body);
    }
    walk(s.otherwise);
  }
  void walk(const sql::PlLoop& s) {
    walk(s.condition);
    walk(s.before);
    walk(s.body);
  }
  void walk(const sql::PlForRange& s) {
    walk(s.from);
    walk(s.to);
    walk(s.step);
    walk(s.body);
  }
  void walk(const sql::PlForRows& s) {
    walk(s.query);
    walk(s.body);
  }
  void walk(const sql::PlExit&) {}
  void walk(const sql::PlLabelled& s) { walk(s.body); }
  void walk(const sql::PlReturn& s) { walk(s.value); }
  void walk(const sql::PlRaise& s) {
    for (const sql::Expr& argument : s.arguments) walk(argument);
  }
  void walk(const sql::PlOpen& s) { walk(s.query); }
  void walk(const sql::PlFetch&) {}
  void walk(const sql::PlClose&) {}
  void walk(const sql::PlRowCount&) {}
  void walk(const sql::PlTry& s) {
    walk(s.body);
    for (const sql::PlTry::Handler& handler : s.handlers) walk(handler.body);
  }
  void walk(const sql::PlSavepoint&) {}
  void walk(const sql::PlEnd&) {}

  const sql::Application& application_;
  std::vector<bool> entered_;
  Footprint print_;
};

}  // namespace

Footprint footprint_of(const sql::Application& application,
                       const sql::DbStatement& statement) {
  Walker walker(application);
  walker.walk(statement);
  return walker.done();
}

Footprint footprint_of(const sql::Application& application,
                       sql::RoutineId routine) {
  Walker walker(application);
  walker.walk(routine);
  return walker.done();
}

}  // namespace txscope::engine
