#include <algorithm>
#include <cassert>
#include <map>

#include "explore/sql/explore_sql.h"
#include "explore/sql/search_statement.h"

namespace txscope::sql {
namespace {

using Kind = ScheduleStep::Kind;

/// Follows a schedule statement by statement.
class Tracer {
 public:
  Tracer(const Routines& routines, Universe& universe,
         std::span<const Code::Instance> instances,
         std::span<const ScheduleStep> schedule)
      : routines_(routines),
        application_(routines.application()),
        universe_(universe),
        instances_(instances),
        schedule_(schedule) {}

  std::vector<TracedStatement> run() {
    std::map<std::uint32_t, bool> is_done;
    for (const ScheduleStep& step : schedule_) {
      if (is_done.try_emplace(step.instance.index, true).second) {
        follow(step.instance);
      }
    }
    std::stable_sort(
        placed_.begin(), placed_.end(),
        [](const Placed& a, const Placed& b) { return a.when < b.when; });
    std::vector<TracedStatement> out;
    for (Placed& p : placed_) out.push_back(std::move(p.statement));
    return out;
  }

 private:
  struct Placed {
    std::size_t when = 0;  // the step that completes it
    TracedStatement statement;
  };

  void follow(InstanceId instance) {
    const Code::Instance& i = instances_[instance.index];
    Process process(routines_, application_.sessions[i.session].calls[i.call]);
    Drawn drawn;
    drawn.numbers.resize(application_.schema.sequences.size());
    drawn.hidden.resize(application_.schema.tables.size());
    next_ = 0;
    instance_ = instance;
    std::size_t when = step();
    for (;;) {
      const Request request = process.run(budget_);
      TracedStatement now;
      now.instance = instance;
      now.statement = request.statement;
      now.slots.assign(process.slots().begin(), process.slots().end());
      if (request.kind != Request::Kind::Statement) {
        now.statement = nullptr;
        now.at = application_.sessions[i.session].calls[i.call].at;
        now.kind = TracedStatement::Kind::Committed;
        if (request.kind == Request::Kind::Failed) {
          now.kind = TracedStatement::Kind::Failed;
          now.error = process.error();
          now.at = now.error.at.line != 0 ? now.error.at : process.at();
        }
        placed_.push_back({std::max(when, last_step()), std::move(now)});
        return;
      }
      now.at = request.statement->at;
      RowReads known(universe_);
      for (;;) {
        RowReads reads = known;
        Drawn after = drawn;
        auto result =
            SearchStatement(routines_, universe_, reads, instance, budget_)
                .run(*request.statement, process.slots(), request.max_rows,
                     after);
        if (std::holds_alternative<Interrupted>(result)) {
          assert(!reads.wanted().empty() && "nothing limits this run");
          for (const KeyId key : reads.wanted()) {
            when = step();
            const ScheduleStep& read = schedule_[when];
            assert(read.kind == Kind::Read && read.key == key);
            known.know(key, read.value);
            read_.push_back(when);
            ++next_;
          }
          continue;
        }
        if (auto* error = std::get_if<SqlError>(&result)) {
          now.kind = TracedStatement::Kind::Failed;
          now.error = std::move(*error);
          note_misses(now, last_step());
          placed_.push_back({last_step(), std::move(now)});
          return;
        }
        auto& effect = std::get<StatementEffect>(result);
        for (std::size_t w = 0; w < effect.writes.size(); ++w) {
          when = step();
          ++next_;
        }
        drawn = std::move(after);
        now.result = std::move(effect.result);
        break;
      }
      note_misses(now, when);
      process.answer(now.result);
      placed_.push_back({when, std::move(now)});
    }
  }

  /// The position of the instance's step number `next_`.
  [[nodiscard]] std::size_t step() const {
    std::size_t seen = 0;
    for (std::size_t s = 0; s < schedule_.size(); ++s) {
      if (schedule_[s].instance != instance_) continue;
      if (seen++ == next_) return s;
    }
    assert(false && "the schedule is a run of the transaction");
    return 0;
  }
  [[nodiscard]] std::size_t last_step() const {
    std::size_t last = 0;
    for (std::size_t s = 0; s < schedule_.size(); ++s) {
      if (schedule_[s].instance == instance_) last = s;
    }
    return last;
  }

  /// Who had overwritten what the statement read, by the time it ended.
  void note_misses(TracedStatement& now, std::size_t when) {
    for (const std::size_t r : read_) {
      const ScheduleStep& read = schedule_[r];
      if (read.is_own) continue;
      std::vector<InstanceId> later;  // writers that committed after the source
      bool after_source = read.source == kInit;
      for (std::size_t s = 0; s < when; ++s) {
        if (schedule_[s].kind != Kind::Commit) continue;
        const InstanceId t = schedule_[s].instance;
        if (t == read.source) after_source = true;
        if (t == read.source || !after_source || t == instance_) continue;
        if (writes(t, read.key)) later.push_back(t);
      }
      for (const InstanceId t : later) {
        if (std::find(now.misses.begin(), now.misses.end(), t) ==
            now.misses.end()) {
          now.misses.push_back(t);
        }
      }
    }
    read_.clear();
  }
  [[nodiscard]] bool writes(InstanceId t, KeyId key) const {
    return std::any_of(
        schedule_.begin(), schedule_.end(), [&](const ScheduleStep& s) {
          return s.instance == t && s.kind == Kind::Write && s.key == key;
        });
  }

  const Routines& routines_;
  const Application& application_;
  Universe& universe_;
  std::span<const Code::Instance> instances_;
  std::span<const ScheduleStep> schedule_;
  const Budget budget_ = Budget::unlimited();
  std::vector<Placed> placed_;
  InstanceId instance_;
  std::size_t next_ = 0;           // steps of the instance that are done
  std::vector<std::size_t> read_;  // the statement's reads
};

}  // namespace

std::vector<TracedStatement> SqlExploration::trace(
    const Violation& violation) const {
  return Tracer(*routines_, *universe_, code_.instances, violation.schedule)
      .run();
}

}  // namespace txscope::sql
