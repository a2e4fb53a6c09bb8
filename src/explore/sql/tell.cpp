// A schedule of rows, told by statements.

#include <algorithm>
#include <cassert>
#include <map>

#include "explore/sql/explore_sql.h"
#include "explore/sql/transactions.h"
#include "model/sql/value/shown.h"

namespace txscope::explore {
namespace {

using Kind = ScheduleStep::Kind;

/// Leads every transaction of a schedule through its answers again.
class Walk {
 public:
  Walk(const sql::Routines& routines, Universe& universe,
       const exec::Script& script, std::span<const ScheduleStep> schedule)
      : schedule_(schedule),
        budget_(Budget::unlimited()),
        transactions_(routines, universe, script, budget_) {
    transactions_.keep_results();
    events_.resize(schedule.size());
    for (std::size_t s = 0; s < schedule.size(); ++s) {
      const ScheduleStep& step = schedule[s];
      const auto [found, is_new] = slots_.try_emplace(step.instance);
      std::int64_t& slot = found->second;
      exec::Event& now = now_[step.instance];
      if (is_new) now = transactions_.start(step.instance, &slot);
      events_[s] = now.pc;
      if (step.kind == Kind::Read) {
        now = transactions_.answer(now.pc, step.value, &slot);
      } else if (step.kind == Kind::Write) {
        now = transactions_.resume(now.pc, &slot);
      }
    }
  }

  [[nodiscard]] std::vector<exec::InstanceId> instances() const {
    std::vector<exec::InstanceId> out;
    for (const ScheduleStep& step : schedule_) {
      if (std::find(out.begin(), out.end(), step.instance) == out.end()) {
        out.push_back(step.instance);
      }
    }
    return out;
  }
  [[nodiscard]] std::vector<Transactions::Ran> statements(
      exec::InstanceId instance) const {
    return transactions_.statements(&slots_.at(instance));
  }
  [[nodiscard]] Transactions::Ended ended(exec::InstanceId instance) const {
    return transactions_.ended(&slots_.at(instance));
  }
  /// The statement that a step of the schedule belongs to.
  [[nodiscard]] std::uint32_t pc(std::size_t step) const {
    return events_[step];
  }

 private:
  std::span<const ScheduleStep> schedule_;
  const Budget budget_;
  Transactions transactions_;
  std::map<exec::InstanceId, std::int64_t> slots_;
  std::map<exec::InstanceId, exec::Event> now_;
  std::vector<std::uint32_t> events_;
};

/// Puts statements in the order of time: each where its last event is.
class Teller {
 public:
  Teller(const sql::Application& application, const Subject& subject,
         const Universe& universe, const Walk& walk,
         std::span<const ScheduleStep> schedule)
      : application_(application),
        subject_(subject),
        universe_(universe),
        walk_(walk),
        schedule_(schedule) {}

  std::vector<Step> run() {
    for (const exec::InstanceId instance : walk_.instances()) tell(instance);
    std::stable_sort(
        placed_.begin(), placed_.end(),
        [](const Placed& a, const Placed& b) { return a.when < b.when; });
    std::vector<Step> out;
    for (Placed& p : placed_) out.push_back(std::move(p.step));
    return out;
  }

 private:
  struct Placed {
    std::size_t when = 0;
    Step step;
  };

  void tell(exec::InstanceId instance) {
    std::size_t when = 0;
    while (schedule_[when].instance != instance) ++when;
    for (const Transactions::Ran& ran : walk_.statements(instance)) {
      if (is_part_of_commit(ran)) continue;
      Step step = told(instance, ran);
      std::vector<std::size_t> reads;
      const bool is_end = ran.result == nullptr;
      for (std::size_t s = 0; s < schedule_.size(); ++s) {
        const ScheduleStep& event = schedule_[s];
        if (event.instance != instance) continue;
        const bool is_its = walk_.pc(s) == ran.pc;
        if (is_its || is_end) when = std::max(when, s);
        if (!is_its) continue;
        if (event.kind == Kind::Read) {
          step.reads.push_back(use_of(event));
          reads.push_back(s);
        } else if (event.kind == Kind::Write) {
          step.writes.push_back(use_of(event));
        }
      }
      if (ran.statement != nullptr) note_misses(reads, when, step);
      placed_.push_back({when, std::move(step)});
    }
  }

  /// What COMMIT looks at first is told if it fails.
  [[nodiscard]] static bool is_part_of_commit(const Transactions::Ran& ran) {
    return ran.statement != nullptr && ran.statement->is_of_commit() &&
           ran.error == nullptr;
  }

  [[nodiscard]] Step told(exec::InstanceId instance,
                          const Transactions::Ran& ran) const {
    Step step;
    step.call = *subject_.call(instance);
    step.at = ran.at;
    step.text =
        ran.statement != nullptr
            ? shown_statement(application_, *ran.statement, ran.variables)
            : one_line(application_.text(ran.at));
    if (ran.error != nullptr) {
      step.kind = Step::Kind::Error;
      step.seen = ran.error->message;
      step.code = ran.statement == nullptr ? "raised" : ran.error->sqlstate;
    } else if (ran.result != nullptr) {
      step.kind = Step::Kind::Statement;
      step.seen =
          shown_result(*ran.statement, ran.result->rows, ran.result->count);
    } else {
      step.kind = Step::Kind::Commit;
      step.text = "COMMIT";
    }
    return step;
  }

  [[nodiscard]] RowUse use_of(const ScheduleStep& event) const {
    RowUse use;
    use.key = universe_.name(event.key);
    if (event.value != Universe::kAbsent) use.row = universe_.row(event.value);
    use.is_own = event.is_own || event.kind == Kind::Write;
    use.writer = subject_.call(use.is_own ? event.instance : event.source);
    use.is_stale = event.is_stale;
    return use;
  }

  /// Who had overwritten what the statement read, by the time it ended.
  void note_misses(const std::vector<std::size_t>& reads, std::size_t when,
                   Step& step) const {
    for (const std::size_t r : reads) {
      const ScheduleStep& read = schedule_[r];
      if (read.is_own) continue;
      bool is_after_source = read.source == exec::kInit;
      for (std::size_t s = 0; s < when; ++s) {
        if (schedule_[s].kind != Kind::Commit) continue;
        const exec::InstanceId t = schedule_[s].instance;
        if (t == read.source) is_after_source = true;
        if (t == read.source || !is_after_source || t == read.instance) {
          continue;
        }
        const CallRef call = *subject_.call(t);
        if (writes(t, read.key) &&
            std::find(step.misses.begin(), step.misses.end(), call) ==
                step.misses.end()) {
          step.misses.push_back(call);
        }
      }
    }
  }
  [[nodiscard]] bool writes(exec::InstanceId t, KeyId key) const {
    return std::any_of(
        schedule_.begin(), schedule_.end(), [&](const ScheduleStep& s) {
          return s.instance == t && s.kind == Kind::Write && s.key == key;
        });
  }

  const sql::Application& application_;
  const Subject& subject_;
  const Universe& universe_;
  const Walk& walk_;
  std::span<const ScheduleStep> schedule_;
  std::vector<Placed> placed_;
};

}  // namespace

std::vector<Step> SqlExploration::steps(
    std::span<const ScheduleStep> schedule) const {
  const Walk walk(routines_, *universe_, script_, schedule);
  return Teller(application_, *this, *universe_, walk, schedule).run();
}

std::vector<NamedValue> SqlExploration::variables(
    std::size_t condition, std::span<const std::int64_t* const>,
    std::span<const ScheduleStep> schedule) const {
  const auto& wanted = application_.properties[condition].variables;
  if (schedule.empty() || wanted.empty()) return {};
  const Walk walk(routines_, *universe_, script_, schedule);
  std::vector<NamedValue> out;
  for (const exec::InstanceId instance : walk.instances()) {
    const CallRef call = *this->call(instance);
    const Transactions::Ended end = walk.ended(instance);
    if (!end.is_committed) continue;
    const sql::Routine& routine = application_.at(
        application_.sessions[call.session].calls[call.call].routine);
    for (const sql::VariableRef& ref : wanted) {
      if (ref.session != call.session || ref.call != call.call) continue;
      NamedValue value{
          names_.name(call) + "." + routine.variables[ref.slot].name,
          end.variables[ref.slot]};
      if (std::find(out.begin(), out.end(), value) == out.end()) {
        out.push_back(std::move(value));
      }
    }
  }
  return out;
}

/// The tables of some rows, with all rows they have in the end.
std::vector<FinalTable> SqlExploration::finals(
    std::span<const FinalValue> values) const {
  std::vector<FinalTable> out;
  for (std::size_t t = 0; t < application_.schema.tables.size(); ++t) {
    const TableId table(t);
    const bool is_mentioned =
        std::any_of(values.begin(), values.end(), [&](const FinalValue& v) {
          return universe_->table_of(v.key) == table;
        });
    if (!is_mentioned) continue;
    FinalTable rows{application_.schema.at(table).name, {}};
    for (const Universe::Entry& entry : universe_->keys(table)) {
      std::int64_t version = entry.initial;
      RowUse use;
      for (const FinalValue& v : values) {
        if (!entry.open || v.key != *entry.open) continue;
        version = v.value;
        use.key = universe_->name(v.key);
        use.writer = call(v.writer);
      }
      if (version == Universe::kAbsent) continue;
      use.row = universe_->row(version);
      rows.rows.push_back(std::move(use));
    }
    out.push_back(std::move(rows));
  }
  return out;
}

}  // namespace txscope::explore
