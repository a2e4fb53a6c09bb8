#include "analysis/heap_order.h"

#include <algorithm>

#include "analysis/one_row.h"
#include "model/sql/walk.h"

namespace txscope::analysis {
namespace {

using sql::Expr;
using sql::Op;

/// Walks all that sessions may run; depth: what the front end allows, and each
/// routine is entered once.
class Walk {
 public:
  explicit Walk(const sql::Application& application)
      : application_(application),
        schema_(application.schema),
        found_(schema_.tables.size()),
        entered_(application.routines.size()) {
    for (const sql::Session& session : application.sessions)
      for (const sql::Call& call : session.calls) routine(call.routine);
    for (std::size_t t = 0; t < found_.size(); ++t) {
      const auto& keys = schema_.tables[t].partial;
      found_[t] = found_[t] || std::any_of(keys.begin(), keys.end(),
                                           [](const sql::UniqueKey& key) {
                                             return key.is_exclusion;
                                           });
    }
  }
  [[nodiscard]] std::vector<bool> done() { return std::move(found_); }

 private:
  void routine(sql::RoutineId id) {
    if (entered_[id.index]) return;
    entered_[id.index] = true;
    block(application_.at(id).body);
  }
  void block(const sql::PlBlock& all) {
    for (const sql::PlStatement& s : all) {
      const auto* loop = std::get_if<sql::PlForRows>(&s.what);
      if (loop != nullptr && loop->query.is_select())
        goes_through(*std::get<sql::Select>(loop->query.what));
      if (const auto* call = std::get_if<sql::PlCall>(&s.what))
        routine(call->routine);
      sql::for_each_part(
          s, [this](const Expr& e) { inside(e); },
          [this](const sql::DbStatement& d) { statement(d); },
          [this](const sql::PlBlock& inside) { block(inside); });
    }
  }
  void inside(const Expr& e) {
    if (e.op == Op::Function) routine(sql::RoutineId(e.index));
    sql::for_each_part(
        e, [this](const Expr& part) { inside(part); },
        [this](const sql::Query& q) { inside(q); });
  }
  void inside(const sql::Query& query) {
    sql::for_each_part(
        query, [this](const Expr& e) { inside(e); },
        [this](const sql::Query& q) { inside(q); });
  }
  void fires(TableId table) {
    for (const sql::Trigger& trigger : schema_.at(table).triggers)
      routine(sql::RoutineId(trigger.routine));
  }
  void statement(const sql::DbStatement& d) {
    for (const sql::StatementPart& part : d.parts) statement(*part.statement);
    sql::for_each_part(
        d, [this](const Expr& e) { inside(e); },
        [this](const sql::Query& q) { inside(q); });
    if (const auto* update = std::get_if<sql::Update>(&d.what)) {
      changes(update->target.table, update->where);
    } else if (const auto* remove = std::get_if<sql::Delete>(&d.what)) {
      changes(remove->target.table, remove->where);
    } else if (const auto* insert = std::get_if<sql::Insert>(&d.what)) {
      fires(insert->target.table);
      if (insert->source != nullptr) goes_through(*insert->source);
    } else if (const auto* merge = std::get_if<sql::Merge>(&d.what)) {
      changes(merge->target.table, std::nullopt);
      goes_through(*merge->joined);
    } else if (const auto& query = std::get<sql::Select>(d.what);
               query->lock != sql::LockStrength::None) {
      goes_through(*query);
    }
  }
  void changes(TableId table, const std::optional<Expr>& where) {
    fires(table);
    if (!names_one_row(schema_.at(table), where)) found_[table.index] = true;
  }
  void goes_through(const sql::Query& query) {
    if (!query.order_by.empty() || query.is_grouped) return;
    for (const sql::Relation& relation : query.relations) {
      if (relation.query != nullptr) {
        goes_through(*relation.query);
      } else if (query.relations.size() > 1 ||
                 !names_one_row(schema_.at(relation.table), query.where)) {
        found_[relation.table.index] = true;
      }
    }
    for (const auto& part : query.parts) goes_through(*part);
  }

  const sql::Application& application_;
  const sql::Schema& schema_;
  std::vector<bool> found_;
  std::vector<bool> entered_;
};

}  // namespace

std::vector<bool> heap_ordered_tables(const sql::Application& application) {
  return Walk(application).done();
}

}  // namespace txscope::analysis
