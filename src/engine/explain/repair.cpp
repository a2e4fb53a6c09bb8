#include "engine/explain/repair.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "model/product/error_class.h"
#include "model/sql/parts.h"
#include "model/sql/walk.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kMaxSelects = 4;  // tried one by one
/// Of one change; about a second.
constexpr std::uint64_t kStepsOfTry = 200'000;

/// Whether the rows of a SELECT can be locked, and how.
std::optional<Repair::Lock> lock_for(const sql::DbStatement& statement) {
  const auto* query = std::get_if<sql::Select>(&statement.what);
  if (query == nullptr || statement.is_expression) return std::nullopt;
  const sql::Query& q = **query;
  if (q.lock != sql::LockStrength::None || q.relations.empty()) {
    return std::nullopt;
  }
  for (const sql::Relation& relation : q.relations) {
    if (relation.query) return std::nullopt;
  }
  for (const sql::Join& join : q.joins) {
    // The side that an outer join may lack cannot be locked.
    if (join.kind != sql::JoinKind::Inner) return std::nullopt;
  }
  return Repair::Lock{statement.at,
                      q.is_grouped || q.is_distinct || !q.windows.empty()};
}

/// Adds locks to the SELECTs at the given places.
class Locker {
 public:
  explicit Locker(const std::vector<Repair::Lock>& locks) : locks_(locks) {}

  // Depth: the nesting of blocks, which the front end limits.
  void change(sql::PlBlock& block) {
    sql::PlBlock changed;
    for (sql::PlStatement& statement : block) {
      if (auto before = lock_before(statement)) {
        changed.push_back(std::move(*before));
      }
      std::visit([this](auto& what) { change(what); }, statement.what);
      changed.push_back(std::move(statement));
    }
    block = std::move(changed);
  }

 private:
  void change(sql::PlExecute& s) { change(s.statement); }
  void change(sql::PlForRows& s) {
    change(s.query);
    change(s.body);
  }
  void change(sql::PlOpen& s) { change(s.query); }
  void change(sql::PlIf& s) {
    for (sql::PlIf::Arm& arm : s.arms) {
      change(arm.before);
      change(arm.body);
    }
    change(s.otherwise);
  }
  void change(sql::PlLoop& s) {
    change(s.before);
    change(s.body);
  }
  void change(sql::PlForRange& s) { change(s.body); }
  void change(sql::PlLabelled& s) { change(s.body); }
  void change(sql::PlTry& s) {
    change(s.body);
    for (sql::PlTry::Handler& handler : s.handlers) change(handler.body);
  }
  template <class Other>
  void change(Other&) {}

  void change(sql::DbStatement& statement) {
    const Repair::Lock* lock = find(statement);
    if (lock == nullptr || lock->is_before) return;
    auto query =
        std::make_shared<sql::Query>(*std::get<sql::Select>(statement.what));
    lock_all(*query);
    statement.what = sql::Select(std::move(query));
  }

  /// SELECT 1 from the same rows FOR UPDATE.
  [[nodiscard]] std::optional<sql::PlStatement> lock_before(
      const sql::PlStatement& statement) const {
    const auto* execute = std::get_if<sql::PlExecute>(&statement.what);
    if (execute == nullptr) return std::nullopt;
    const Repair::Lock* lock = find(execute->statement);
    if (lock == nullptr || !lock->is_before) return std::nullopt;
    const sql::Query& counted = *std::get<sql::Select>(execute->statement.what);
    auto query = std::make_shared<sql::Query>();
    query->relations = counted.relations;
    query->joins = counted.joins;
    query->where = counted.where;
    query->at = counted.at;
    sql::Expr one;
    one.type = {sql::TypeName::Integer, 0, 0};
    one.value = sql::Value::integer(1);
    one.at = counted.at;
    query->targets.push_back({"one", std::move(one)});
    lock_all(*query);
    sql::PlExecute locking;
    locking.statement.at = execute->statement.at;
    locking.statement.what = sql::Select(std::move(query));
    sql::PlStatement out;
    out.at = statement.at;
    out.what = std::move(locking);
    return out;
  }

  static void lock_all(sql::Query& query) {
    query.lock = sql::LockStrength::Update;
    query.is_locked.assign(query.relations.size(), true);
  }

  [[nodiscard]] const Repair::Lock* find(
      const sql::DbStatement& statement) const {
    for (const Repair::Lock& lock : locks_) {
      if (lock.select.offset == statement.at.offset && lock_for(statement)) {
        return &lock;
      }
    }
    return nullptr;
  }

  const std::vector<Repair::Lock>& locks_;
};

class Repairer {
 public:
  Repairer(const sql::Application& application, const Profile& profile,
           const Counterexample& violation, std::span<const Answer> known,
           const ProfileOptions& options, const IsOffered& is_offered,
           const Budget& budget)
      : application_(application),
        is_offered_(is_offered),
        profile_(profile),
        violation_(violation),
        known_(known),
        options_(options),
        budget_(budget) {
    options_.all = true;
    options_.explains = false;
    options_.on_progress = {};
    options_.on_outcome = {};
  }

  std::vector<Repair> run() {
    try_locks();
    try_levels();
    return std::move(found_);
  }

 private:
  void try_locks() {
    std::vector<Repair::Lock> locks;
    for (const txscope::Step& step : violation_.steps) {
      const sql::DbStatement* statement = statement_at(step.at);
      if (statement == nullptr) continue;
      const auto lock = lock_for(*statement);
      const bool is_known =
          lock && std::any_of(locks.begin(), locks.end(), [&](const auto& l) {
            return l.select.offset == lock->select.offset;
          });
      if (lock && !is_known) locks.push_back(*lock);
    }
    for (std::size_t i = 0; i < std::min(locks.size(), kMaxSelects); ++i) {
      if (try_lock({locks[i]})) return;
    }
    if (locks.size() > 1) try_lock(locks);
  }

  [[nodiscard]] const sql::DbStatement* statement_at(Span at) const {
    const sql::DbStatement* found = nullptr;
    for (const sql::Routine& routine : application_.routines) {
      sql::for_each_statement(routine.body, [&](const sql::DbStatement& s) {
        if (s.at.offset == at.offset && s.at.length == at.length) found = &s;
      });
    }
    return found;
  }

  bool try_lock(std::vector<Repair::Lock> locks) {
    const auto result = explored(with_locks(application_, locks), profile_);
    return note(result, std::move(locks), profile_);
  }

  /// The weakest level at which the property holds, and that at which all do.
  void try_levels() {
    for (const Profile& stronger : profiles()) {
      if (stronger.product != profile_.product ||
          stronger.isolation <= profile_.isolation || !is_offered_(stronger)) {
        continue;
      }
      const auto done = std::find_if(
          known_.begin(), known_.end(),
          [&](const Answer& a) { return a.level == stronger.name; });
      const bool holds =
          done != known_.end()
              ? note(*done, {}, stronger)
              : note(explored(application_, stronger), {}, stronger);
      if (holds && found_.back().all_hold) return;
    }
  }

  std::optional<Answer> explored(const sql::Application& application,
                                 const Profile& profile) {
    if (budget_.spent_now()) return std::nullopt;
    const Budget one = budget_.at_most(kStepsOfTry);
    auto result = explore_profile(application, profile, options_, one);
    budget_.charge(one);
    if (!result) return std::nullopt;
    return std::move(*result);
  }

  /// Of what was violated.
  [[nodiscard]] Outcome verdict_in(const Answer& answer) const {
    if (violation_.property)
      return answer.properties[violation_.property->index].verdict;
    for (const BuiltinAnswer& row : answer.builtins)
      if (row.which == violation_.builtin) return row.verdict;
    return Outcome::Undecided;
  }

  bool note(const std::optional<Answer>& result,
            std::vector<Repair::Lock> locks, const Profile& profile) {
    if (!result) return false;
    if (verdict_in(*result) != Outcome::Holds) return false;
    const auto& properties = result->properties;
    Repair repair;
    repair.locks = std::move(locks);
    repair.level = profile.name;
    repair.all_hold = std::all_of(
        properties.begin(), properties.end(),
        [](const PropertyAnswer& p) { return p.verdict == Outcome::Holds; });
    for (const auto& [code, n] : result->counts.aborts) {
      if (is_transient(code)) repair.retried.push_back(code);
    }
    // A second level is worth telling only if it does more.
    const bool is_level = repair.locks.empty();
    if (is_level && !repair.all_hold && !found_.empty() &&
        found_.back().locks.empty()) {
      return false;
    }
    found_.push_back(std::move(repair));
    return true;
  }

  const sql::Application& application_;
  const IsOffered& is_offered_;
  const Profile& profile_;
  const Counterexample& violation_;
  std::span<const Answer> known_;
  ProfileOptions options_;
  const Budget& budget_;
  std::vector<Repair> found_;
};

}  // namespace

std::vector<Repair::Lock> lockable_selects(
    const sql::Application& application,
    const std::vector<sql::RoutineId>& routines) {
  std::vector<Repair::Lock> locks;
  for (const sql::RoutineId id : routines)
    sql::for_each_statement(
        application.at(id).body, [&](const sql::DbStatement& statement) {
          const auto lock = lock_for(statement);
          const bool is_known =
              lock &&
              std::any_of(locks.begin(), locks.end(), [&](const auto& known) {
                return known.select.offset == lock->select.offset;
              });
          if (lock && !is_known) locks.push_back(*lock);
        });
  return locks;
}

sql::Application with_locks(const sql::Application& application,
                            const std::vector<Repair::Lock>& locks) {
  sql::Application changed = application;
  Locker locker(locks);
  for (sql::Routine& routine : changed.routines) locker.change(routine.body);
  sql::number_parts(changed);
  return changed;
}

std::vector<Repair> find_repairs(const sql::Application& application,
                                 const Profile& profile,
                                 const Counterexample& violation,
                                 std::span<const Answer> known,
                                 const ProfileOptions& options,
                                 const IsOffered& is_offered,
                                 const Budget& budget) {
  return Repairer(application, profile, violation, known, options, is_offered,
                  budget)
      .run();
}

}  // namespace txscope::engine
