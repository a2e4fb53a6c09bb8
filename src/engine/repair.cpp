#include "engine/repair.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace txscope::engine {
namespace {

constexpr std::size_t kMaxSelects = 4;  // tried one by one
constexpr std::chrono::milliseconds kOneTry{1500};

/// Errors that say: somebody else was faster.
bool is_conflict(const std::string& code) {
  for (const char* known :
       {"40001", "40P01", "1020", "1205", "1213", "ORA-08177", "SQLITE_BUSY"}) {
    if (code == known) return true;
  }
  return false;
}

bool can_lock(const sql::DbStatement& statement) {
  const auto* query = std::get_if<sql::Select>(&statement.what);
  if (query == nullptr || statement.is_expression) return false;
  const sql::Query& q = **query;
  return !q.is_grouped && !q.is_distinct && q.lock == sql::LockStrength::None &&
         !q.relations.empty() &&
         std::all_of(q.relations.begin(), q.relations.end(),
                     [](const sql::Relation& r) { return !r.query; }) &&
         // The side that an outer join may lack cannot be locked.
         std::all_of(q.joins.begin(), q.joins.end(), [](const sql::Join& j) {
           return j.kind == sql::JoinKind::Inner;
         });
}

/// Adds FOR UPDATE to the SELECTs at the given places.
class Locker {
 public:
  explicit Locker(const std::vector<Span>& places) : places_(places) {}

  // Depth: the nesting of blocks, which the front end limits.
  void change(sql::PlBlock& block) {
    for (sql::PlStatement& statement : block) {
      std::visit([this](auto& what) { change(what); }, statement.what);
    }
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
  template <class Other>
  void change(Other&) {}

  void change(sql::DbStatement& statement) {
    const bool is_wanted =
        std::any_of(places_.begin(), places_.end(),
                    [&](Span at) { return at.offset == statement.at.offset; });
    if (!is_wanted || !can_lock(statement)) return;
    auto locked =
        std::make_shared<sql::Query>(*std::get<sql::Select>(statement.what));
    locked->lock = sql::LockStrength::Update;
    locked->is_locked.assign(locked->relations.size(), true);
    statement.what = sql::Select(std::move(locked));
  }

  const std::vector<Span>& places_;
};

class Repairer {
 public:
  Repairer(const sql::Application& application, const Profile& profile,
           const Violation& violation, std::span<const ProfileResult> known,
           const ProfileOptions& options, const Budget& budget)
      : application_(application),
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
    std::vector<Span> places;
    for (const Step& step : violation_.schedule) {
      if (step.statement == nullptr || !can_lock(*step.statement)) continue;
      const bool is_known = std::any_of(
          places.begin(), places.end(),
          [&](Span at) { return at.offset == step.statement->at.offset; });
      if (!is_known) places.push_back(step.statement->at);
    }
    for (std::size_t i = 0; i < std::min(places.size(), kMaxSelects); ++i) {
      if (try_lock({places[i]})) return;
    }
    if (places.size() > 1) try_lock(places);
  }

  bool try_lock(std::vector<Span> places) {
    sql::Application changed = application_;
    Locker locker(places);
    for (sql::Routine& routine : changed.routines) locker.change(routine.body);
    return note(explored(changed, profile_), std::move(places), profile_);
  }

  /// The weakest level at which the property holds, and that at which all do.
  void try_levels() {
    for (const Profile& stronger : profiles()) {
      if (stronger.product != profile_.product ||
          stronger.isolation <= profile_.isolation) {
        continue;
      }
      const auto done = std::find_if(
          known_.begin(), known_.end(),
          [&](const ProfileResult& r) { return r.profile == &stronger; });
      const bool holds =
          done != known_.end()
              ? note(*done, {}, stronger)
              : note(explored(application_, stronger), {}, stronger);
      if (holds && found_.back().all_hold) return;
    }
  }

  std::optional<ProfileResult> explored(const sql::Application& application,
                                        const Profile& profile) {
    if (budget_.spent_now()) return std::nullopt;
    const Budget one({kOneTry, std::nullopt});
    auto result = explore_profile(application, profile, options_, one);
    if (!result) return std::nullopt;
    return std::move(*result);
  }

  bool note(const std::optional<ProfileResult>& result,
            std::vector<Span> locked, const Profile& profile) {
    if (!result) return false;
    const auto& properties = result->properties;
    if (properties[violation_.property].verdict != Outcome::Holds) return false;
    Repair repair;
    repair.locked = std::move(locked);
    repair.profile = &profile;
    repair.all_hold = std::all_of(
        properties.begin(), properties.end(),
        [](const PropertyVerdict& p) { return p.verdict == Outcome::Holds; });
    for (const auto& [code, n] : result->aborts) {
      if (is_conflict(code)) repair.retried.push_back(code);
    }
    // A second level is worth telling only if it does more.
    const bool is_level = repair.locked.empty();
    if (is_level && !repair.all_hold && !found_.empty() &&
        found_.back().locked.empty()) {
      return false;
    }
    found_.push_back(std::move(repair));
    return true;
  }

  const sql::Application& application_;
  const Profile& profile_;
  const Violation& violation_;
  std::span<const ProfileResult> known_;
  ProfileOptions options_;
  const Budget& budget_;
  std::vector<Repair> found_;
};

}  // namespace

std::vector<Repair> find_repairs(const sql::Application& application,
                                 const Profile& profile,
                                 const Violation& violation,
                                 std::span<const ProfileResult> known,
                                 const ProfileOptions& options,
                                 const Budget& budget) {
  return Repairer(application, profile, violation, known, options, budget)
      .run();
}

}  // namespace txscope::engine
