#include "audit/audit.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "audit/certificate.h"
#include "audit/decide.h"
#include "audit/load.h"
#include "audit/replay.h"

namespace txscope::audit {
namespace {

std::string state_name(const AuditLevel& level) {
  return (level.is_strict ? "strict-" : "") + level.name;
}

const LevelState* state_of(const SavedState* state, const AuditLevel& level) {
  if (state == nullptr) return nullptr;
  for (const LevelState& one : state->levels)
    if (one.level == state_name(level)) return &one;
  return nullptr;
}

/// One pass over a log, for all levels at once; only what some level may still
/// need is in memory.
class Pass {
 public:
  Pass(const LogInput& input, const AuditOptions& options,
       InitialState& initial, const std::vector<AuditLevel>& levels,
       const Budget& budget, AuditReport& report)
      : input_(input),
        options_(options),
        preparer_(input, options),
        report_(report) {
    Replay::Limits limits;
    if (options.evidence || options.certify) limits.window = 0;
    if (options.from != nullptr) preparer_.resume(*options.from);
    for (const AuditLevel& level : levels) {
      auto lane = std::make_unique<Lane>();
      const LevelState* from = state_of(options.from, level);
      lane->name = state_name(level);
      lane->ids = std::make_unique<NextIds>(
          from == nullptr ? initial.next_ids : from->next_ids,
          initial.increments);
      if (from == nullptr) {
        lane->replay = std::make_unique<Replay>(*initial.tables, level,
                                                *lane->ids, budget, limits);
      } else {
        Tables tables(input.setup->schema);
        for (std::size_t t = 0; t < from->tables.size(); ++t)
          tables.restore(TableId(t), from->tables[t]);
        lane->replay =
            std::make_unique<Replay>(tables, level, *lane->ids, budget, limits);
        lane->replay->resume(from->replay);
      }
      lane->replay->on_forget = [this](std::uint32_t number) { drop(number); };
      lanes_.push_back(std::move(lane));
    }
  }

  Result<txscope::Done> run() {
    if (options_.from != nullptr)
      if (auto skipped = skip(*options_.from); !skipped) return skipped;
    for (std::uint32_t number = 0;; ++number) {
      auto next = input_.next();
      if (!next) return next.error();
      if (!*next) break;
      ++lines_;
      if (options_.to != nullptr) last_id_ = (**next).id;
      auto added = add(number, std::move(**next));
      if (!added) return added;
      if (std::none_of(lanes_.begin(), lanes_.end(),
                       [](const auto& lane) { return lane->goes_on; }))
        break;
    }
    for (const auto& lane : lanes_)
      if (lane->goes_on) lane->goes_on = lane->replay->finish();
    report_.skipped = preparer_.skipped();
    if (options_.to != nullptr) save(*options_.to);
    return Done{};
  }

  /// The levels that got to the end.
  [[nodiscard]] bool is_explained(std::size_t level) const {
    return lanes_[level]->goes_on;
  }
  [[nodiscard]] const Replay& replay(std::size_t level) const {
    return *lanes_[level]->replay;
  }

 private:
  /// What the state has read already.
  Result<txscope::Done> skip(const SavedState& from) {
    std::string id;
    for (; lines_ < from.lines; ++lines_) {
      auto next = input_.next();
      if (!next) return next.error();
      if (!*next) break;
      id = (**next).id;
    }
    if (lines_ < from.lines || id != from.last_id) {
      Error error;
      error.where = {input_.file, 0, 0, {}};
      error.what =
          "this is not the log that the state is of: its transaction " +
          std::to_string(from.lines) + " should be " + from.last_id;
      error.hint = "remove the state to start from the log's beginning";
      return error;
    }
    last_id_ = from.last_id;
    report_.transactions = from.transactions;
    report_.statements = from.statements;
    report_.aborted = from.aborted;
    report_.unknown = from.unknown;
    return Done{};
  }

  void save(SavedState& state) const {
    state = SavedState();
    state.lines = lines_;
    state.last_id = last_id_;
    preparer_.save(state);
    state.transactions = report_.transactions;
    state.statements = report_.statements;
    state.aborted = report_.aborted;
    state.unknown = report_.unknown;
    for (const auto& lane : lanes_) {
      if (!lane->goes_on) continue;
      LevelState level;
      level.level = lane->name;
      level.replay = lane->replay->state();
      level.next_ids = lane->ids->next();
      const Tables& tables = lane->replay->tables();
      for (std::size_t t = 0; t < tables.schema().tables.size(); ++t)
        level.tables.push_back(tables.rows(TableId(t)));
      state.levels.push_back(std::move(level));
    }
  }

  struct Lane {
    std::string name;
    std::unique_ptr<NextIds> ids;
    std::unique_ptr<Replay> replay;
    bool goes_on = true;
  };
  struct Held {
    sql::LogTransaction log;
    Txn txn;
    std::size_t users = 0;
  };

  Result<txscope::Done> add(std::uint32_t number, sql::LogTransaction t) {
    report_.statements += t.statements.size();
    report_.aborted += t.status == sql::LogStatus::Aborted ? 1 : 0;
    report_.unknown += t.status == sql::LogStatus::Unknown ? 1 : 0;
    if (!preparer_.is_judged(t)) return Done{};
    ++report_.transactions;
    auto held = std::make_unique<Held>();
    held->log = std::move(t);
    auto txn = preparer_.prepare(held->log);
    if (!txn) return txn.error();
    held->txn = std::move(*txn);
    report_.own_levels += held->txn.rule ? 1 : 0;
    if (preparer_.has_unknown_tables())
      held->txn.is_opaque = preparer_.opaque(held->txn);
    if (options_.evidence || options_.certify) {
      names_.resize(number + 1);
      names_[number] = held->log.id;
    }
    const Held& kept = *held_.emplace(number, std::move(held)).first->second;
    const std::int64_t at = hint(kept.log);
    for (const auto& lane : lanes_) {
      if (!lane->goes_on) continue;
      ++held_.at(number)->users;
      lane->goes_on =
          lane->replay->add(number, kept.txn, at) && lane->replay->advance();
    }
    return Done{};
  }

  void drop(std::uint32_t number) {
    if (options_.evidence || options_.certify) return;
    const auto found = held_.find(number);
    if (found == held_.end()) return;
    if (--found->second->users == 0) held_.erase(found);
  }

  const LogInput& input_;
  AuditOptions options_;
  Preparer preparer_;
  AuditReport& report_;
  std::uint64_t lines_ = 0;
  std::string last_id_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Held>> held_;

 public:
  std::vector<std::string> names_;
};

/// Whether everything that `b` explains is explained at `a`.
bool is_weaker(const AuditLevel& a, const AuditLevel& b) {
  const auto rank = [](Rule rule) {
    return rule == Rule::Prefix         ? 1
           : rule == Rule::Snapshot     ? 2
           : rule == Rule::Serializable ? 3
                                        : 0;
  };
  return rank(a.rule) > 0 && rank(a.rule) <= rank(b.rule) &&
         (!a.is_strict || b.is_strict);
}

/// Decides levels so that one which takes long does not use up what others
/// need little of: all get a short time first, and then equal parts.
void decide_levels(const LoadedLog& log, const std::vector<std::size_t>& open,
                   const Budget& budget, AuditReport& report) {
  constexpr std::chrono::milliseconds kFirstLook{2000};
  std::vector<std::optional<FirstBad>> stuck;
  for (const std::size_t i : open)
    stuck.push_back(std::move(report.results[i].found.first_bad));
  const auto implied = [&](const AuditLevel& level) -> const Found* {
    for (const std::size_t i : open) {
      const AuditResult& other = report.results[i];
      if (other.found.answer == Found::Answer::Violated &&
          is_weaker(other.level, level))
        return &other.found;
    }
    return nullptr;
  };
  for (const bool is_first : {true, false}) {
    if (is_first && open.size() == 1) continue;
    for (std::size_t o = 0; o < open.size(); ++o) {
      AuditResult& result = report.results[open[o]];
      const bool is_open = result.found.answer == Found::Answer::Undecided &&
                           (is_first || result.found.reason.empty() ||
                            result.found.reason == to_string(Spent::Time));
      if (!is_open) continue;
      const Budget share = budget.share(open.size() - o);
      if (const Found* found = implied(result.level))
        result.found = *found;
      else
        result.found = decide(log, result.level, stuck[o],
                              is_first ? share.at_most(kFirstLook) : share);
    }
  }
  for (std::size_t o = 0; o < open.size(); ++o) {
    auto& bad = report.results[open[o]].found.first_bad;
    if (!bad)
      bad = stuck[o];
    else if (stuck[o] && bad->nearest.empty() &&
             bad->transaction == stuck[o]->transaction)
      bad->nearest = stuck[o]->nearest;
  }
}

/// What one pass could not explain is decided with all of the log at hand.
Result<Done> decide_rest(const LogInput& input, const AuditOptions& options,
                         const std::vector<std::size_t>& open,
                         InitialState initial, const Budget& budget,
                         AuditReport& report) {
  auto again = input.again();
  if (!again) return again;
  auto loaded = LoadedLog::load(input, options, std::move(initial));
  if (!loaded) return loaded.error();
  const LoadedLog& log = **loaded;
  report.transactions = log.whole().txns.size();
  report.statements = log.statements();
  report.skipped = log.skipped();
  report.aborted = report.unknown = 0;
  for (const sql::LogTransaction& t : log.whole().transactions) {
    report.aborted += t.status == sql::LogStatus::Aborted ? 1 : 0;
    report.unknown += t.status == sql::LogStatus::Unknown ? 1 : 0;
  }
  report.own_levels = static_cast<std::uint64_t>(
      std::count_if(log.whole().txns.begin(), log.whole().txns.end(),
                    [](const Txn& txn) { return txn.rule.has_value(); }));
  if (options.search_time)
    decide_levels(log, open, budget.at_most(*options.search_time), report);
  else
    decide_levels(log, open, budget, report);
  for (const std::size_t i : open) {
    AuditResult& result = report.results[i];
    for (const Txn& txn : log.whole().txns) result.ids.push_back(txn.log->id);
  }
  return Done{};
}

/// Runs what holds again; an answer that does not stand is an error of ours.
Result<Done> certify_all(const LogInput& input, const AuditOptions& options,
                         const Budget& budget, AuditReport& report) {
  for (AuditResult& result : report.results) {
    if (result.found.answer != Found::Answer::Holds) continue;
    auto certificate = certify(input, options, result, budget.with_grace());
    if (!certificate) return certificate.error();
    if (certificate->kind == Certificate::Kind::Fails) {
      Error error;
      error.where = {input.file, 0, 0, {}};
      error.what = "internal error: the answer for '" + result.level.name +
                   "' does not stand: " + certificate->words;
      error.hint = "please report this log";
      return error;
    }
    result.certified = certificate->kind == Certificate::Kind::Stands
                           ? certificate->words
                           : "not certified: " + certificate->words;
  }
  return Done{};
}

}  // namespace

Result<AuditReport> audit(const LogInput& input,
                          const std::vector<AuditLevel>& levels,
                          const AuditOptions& options, const Budget& budget) {
  AuditReport report;
  for (const AuditLevel& level : levels)
    if (options.from != nullptr && state_of(options.from, level) == nullptr) {
      Error error;
      error.where = {input.file, 0, 0, {}};
      error.what =
          "the state has not explained this log at " + state_name(level);
      error.hint = "use a state of its own for other levels";
      return error;
    }
  auto initial = run_setup(input, budget);
  if (!initial) return initial.error();
  Pass pass(input, options, *initial, levels, budget, report);
  auto ran = pass.run();
  if (!ran) return ran.error();
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    AuditResult result;
    result.level = levels[i];
    if (pass.is_explained(i)) {
      result.found.answer = Found::Answer::Holds;
      if (options.evidence || options.certify) {
        result.found.order = pass.replay(i).order();
        result.ids = pass.names_;
      }
    } else {
      result.found.first_bad = pass.replay(i).first_bad();
      open.push_back(i);
    }
    report.results.push_back(std::move(result));
  }
  if (!open.empty())
    if (auto rest = decide_rest(input, options, open, std::move(*initial),
                                budget, report);
        !rest)
      return rest.error();
  if (options.certify)
    if (auto ok = certify_all(input, options, budget, report); !ok)
      return ok.error();
  return report;
}

}  // namespace txscope::audit
