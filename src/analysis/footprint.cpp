#include "analysis/footprint.h"

#include <variant>

#include "model/sql/builtin.h"
#include "model/sql/walk.h"

namespace txscope::analysis {
namespace {

/// Walks statements; the nesting of blocks and expressions is what the front
/// end allows, and each routine is entered once.
class Walker {
 public:
  explicit Walker(const sql::Application& application)
      : application_(application), entered_(application.routines.size()) {
    print_.reads.resize(application.schema.tables.size());
    print_.writes.resize(application.schema.tables.size());
    print_.draws.resize(application.schema.sequences.size());
  }

  void walk(const sql::DbStatement& statement) {
    if (const sql::Relation* target = statement.target()) {
      if (!std::holds_alternative<sql::Insert>(statement.what))
        print_.reads[target->table.index] = true;
      write(target->table);
    }
    for (const sql::StatementPart& part : statement.parts)
      walk(*part.statement);
    sql::for_each_part(
        statement, [this](const sql::Expr& e) { walk(e); },
        [this](const sql::Query& q) { walk(q); });
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
          write(TableId(t));
          is_growing = true;
        }
      }
    }
    return std::move(print_);
  }

 private:
  void write(TableId table) {
    print_.writes[table.index] = true;
    for (const sql::Trigger& t : application_.schema.at(table).triggers)
      walk(sql::RoutineId(t.routine));
  }
  void walk(const sql::Expr& expr) {
    if (expr.op == sql::Op::Function) walk(sql::RoutineId(expr.index));
    if (expr.op == sql::Op::Builtin) {
      const auto function = static_cast<sql::Builtin>(expr.index);
      if (sql::takes_number(function))
        print_.draws[static_cast<std::size_t>(expr.args[0].value.integer())] =
            true;
      else if (sql::is_volatile(function))
        print_.remembers = true;
    }
    sql::for_each_part(
        expr, [this](const sql::Expr& e) { walk(e); },
        [this](const sql::Query& q) { walk(q); });
  }
  void walk(const sql::Query& query) {
    for (const sql::Relation& relation : query.relations)
      if (relation.table != kNone<TableId>)
        print_.reads[relation.table.index] = true;
    sql::for_each_part(
        query, [this](const sql::Expr& e) { walk(e); },
        [this](const sql::Query& q) { walk(q); });
  }
  void walk(const sql::PlBlock& block) {
    for (const sql::PlStatement& statement : block) {
      if (const auto* call = std::get_if<sql::PlCall>(&statement.what))
        walk(call->routine);
      sql::for_each_part(
          statement, [this](const sql::Expr& e) { walk(e); },
          [this](const sql::DbStatement& s) { walk(s); },
          [this](const sql::PlBlock& inside) { walk(inside); });
    }
  }

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

bool remembers(const sql::Application& application) {
  for (const sql::Session& session : application.sessions)
    for (const sql::Call& call : session.calls)
      if (footprint_of(application, call.routine).remembers) return true;
  return false;
}

}  // namespace txscope::analysis
