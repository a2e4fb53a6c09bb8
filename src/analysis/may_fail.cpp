#include "analysis/may_fail.h"

#include <algorithm>
#include <set>

namespace txscope::analysis {
namespace {

/// The statements of a routine that lock rows.
class LockingStatements {
 public:
  void add(const sql::PlBlock& block) {
    for (const sql::PlStatement& s : block) {
      if (const auto* x = std::get_if<sql::PlExecute>(&s.what)) {
        add(x->statement);
      } else if (const auto* branch = std::get_if<sql::PlIf>(&s.what)) {
        for (const sql::PlIf::Arm& arm : branch->arms) {
          add(arm.before);
          add(arm.body);
        }
        add(branch->otherwise);
      } else {
        is_straight_ &= std::holds_alternative<sql::PlAssign>(s.what) ||
                        std::holds_alternative<sql::PlRaise>(s.what) ||
                        std::holds_alternative<sql::PlReturn>(s.what) ||
                        std::holds_alternative<sql::PlRowCount>(s.what);
      }
    }
  }

  [[nodiscard]] const std::vector<const sql::DbStatement*>& found() const {
    return found_;
  }
  /// No loops, no calls, nothing that was not looked into.
  [[nodiscard]] bool is_straight() const { return is_straight_; }

 private:
  void add(const sql::DbStatement& statement) {
    const auto* select = std::get_if<sql::Select>(&statement.what);
    if (select == nullptr || (*select)->lock != sql::LockStrength::None) {
      found_.push_back(&statement);
    }
  }

  std::vector<const sql::DbStatement*> found_;
  bool is_straight_ = true;
};

bool has_columns(const Expr& e) {
  return e.op == Op::Column || e.query != nullptr ||
         std::any_of(e.args.begin(), e.args.end(), has_columns);
}

void note_fixed(const Expr& e, std::set<std::uint32_t>& to) {
  if (e.op == Op::And) {
    for (const Expr& part : e.args) note_fixed(part, to);
  }
  if (e.op != Op::Equal) return;
  for (const std::size_t side : {0u, 1u}) {
    const Expr& column = e.args[side];
    if (column.op == Op::Column && column.level == 0 &&
        !has_columns(e.args[1 - side])) {
      to.insert(column.index);
    }
  }
}

/// Its WHERE gives the whole primary key, and no foreign key leads elsewhere.
bool locks_one_row(const sql::Schema& schema, TableId id,
                   const std::optional<Expr>& where) {
  const sql::Table& table = schema.at(id);
  if (!table.has_primary_key || !where || !table.foreign.empty()) return false;
  for (const sql::Table& other : schema.tables) {
    for (const sql::ForeignKey& key : other.foreign) {
      if (key.parent == id) return false;
    }
  }
  std::set<std::uint32_t> fixed;
  note_fixed(*where, fixed);
  const auto& key = table.unique.front().columns;
  return table.unique.size() == 1 &&
         std::all_of(key.begin(), key.end(),
                     [&](std::uint32_t c) { return fixed.contains(c); });
}

bool locks_one_row(const sql::Schema& schema,
                   const sql::DbStatement& statement) {
  if (const auto* update = std::get_if<sql::Update>(&statement.what)) {
    return locks_one_row(schema, update->target.table, update->where);
  }
  if (const auto* remove = std::get_if<sql::Delete>(&statement.what)) {
    return locks_one_row(schema, remove->target.table, remove->where);
  }
  if (const auto* select = std::get_if<sql::Select>(&statement.what)) {
    const sql::Query& query = **select;
    return query.relations.size() == 1 && !query.relations[0].query &&
           locks_one_row(schema, query.relations[0].table, query.where);
  }
  return false;  // INSERT: the key may be taken
}

/// A row that was changed since a snapshot fails whoever writes it.
bool has_serialization_failures(const Profile& profile) {
  switch (profile.isolation) {
    case Isolation::ReadUncommitted:
    case Isolation::ReadCommitted: return false;
    case Isolation::RepeatableRead:
      return profile.product == Product::PostgreSql;
    case Isolation::RepeatableReadSnapshot:
    case Isolation::Serializable: break;
  }
  return true;
}

}  // namespace

bool may_fail(const sql::Application& application, const sql::Call& call,
              const Profile& profile) {
  if (profile.isolation == Isolation::Serializable &&
      profile.product != Product::Oracle) {
    return true;
  }
  LockingStatements locking;
  locking.add(application.at(call.routine).body);
  if (!locking.is_straight()) return true;
  if (locking.found().empty()) return false;
  return has_serialization_failures(profile) || locking.found().size() > 1 ||
         !locks_one_row(application.schema, *locking.found().front());
}

}  // namespace txscope::analysis
