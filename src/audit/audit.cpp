#include "audit/audit.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "audit/attempt/load.h"
#include "audit/certificate/certificate.h"
#include "audit/pass/replay.h"
#include "audit/search/decide.h"
#include "audit/search/number_search.h"
#include "audit/search/story.h"

namespace txscope::audit {
namespace {

std::string state_name(const AuditLevel& level) {
  return (level.is_strict ? "strict-" : "") + level.name;
}

/// The options under which an explained prefix may not be one.
std::string state_options(const AuditOptions& options) {
  std::string text;
  const auto add = [&](bool is_set, const char* name) {
    if (is_set) text += (text.empty() ? "" : " ") + std::string(name);
  };
  add(options.judge_aborted, "--judge-aborted");
  add(options.skip_unsupported, "--skip-unsupported");
  add(options.own_levels, "levels of the log");
  return text;
}

Error other_state(const std::string& file, std::string what) {
  return Error{Place{file, 0, 0, {}}, std::move(what),
               "remove the state to start from the log's beginning, or use "
               "one of its own",
               ""};
}

const LevelState* state_of(const SavedState* state, const AuditLevel& level) {
  if (state == nullptr) return nullptr;
  for (const LevelState& one : state->levels)
    if (one.level == state_name(level)) return &one;
  return nullptr;
}

/// Whether the audit may go on from a state; the log is looked at later.
Result<Done> check_state(const LogInput& input,
                         const std::vector<AuditLevel>& levels,
                         const AuditOptions& options) {
  const SavedState& from = *options.from;
  const auto named = [](const std::string& text) {
    return text.empty() ? std::string("no options") : text;
  };
  if (from.options != state_options(options))
    return other_state(input.file, "the state was made with " +
                                       named(from.options) + ", this is with " +
                                       named(state_options(options)));
  for (const AuditLevel& level : levels)
    if (state_of(&from, level) == nullptr)
      return other_state(
          input.file,
          "the state has not explained this log at " + state_name(level));
  return Done{};
}

/// Where something was left out, what holds may be doubted in the end.
void tell(const AuditOptions& options, const AuditResult& result) {
  if (options.on_verdict &&
      (result.found.answer == Outcome::Violated || !options.skip_unsupported))
    options.on_verdict(result);
}

/// The answers of a transaction that are held against what it could see.  One
/// that may not have committed need not be explained.
std::uint64_t answers_of(const Txn& txn) {
  std::uint64_t count = 0;
  if (txn.log->status == sql::LogStatus::Unknown) return count;
  for (std::size_t k = 0; k < txn.statements.size(); ++k) {
    const sql::LogStatement& s = txn.log->statements[k];
    const bool is_told = (s.rows || s.count || s.error) &&
                         txn.statements[k]->runs() &&
                         txn.statements[k]->asks_tables;
    count += is_told && !txn.is_opaque[k] ? 1 : 0;
  }
  return count;
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
      lane->from = from;
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
      if (options.evidence || options.certify) lane->ids->keep();
      // One pass takes times as hints.
      lane->goes_on = !level.has_order();
      lane->replay->on_forget = [this](std::uint32_t number) { drop(number); };
      lanes_.push_back(std::move(lane));
    }
  }

  Result<txscope::Done> run() {
    if (options_.from != nullptr)
      if (auto skipped = skip(*options_.from); !skipped) return skipped;
    while (true) {
      auto next = input_.next();
      if (!next) return next.error();
      if (!*next) break;
      ++lines_;
      auto added = add(next_number_++, std::move(**next));
      if (!added) return added;
      if (std::none_of(lanes_.begin(), lanes_.end(),
                       [](const auto& lane) { return lane->goes_on; }))
        break;
      if (auto kept = keep(); !kept) return kept;
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
  /// What was drawn from sequences on the way.
  [[nodiscard]] std::vector<GivenIds> given(std::size_t level) const {
    std::vector<Txn> txns;
    for (const auto& [number, held] : held_) txns.push_back(held->txn);
    return given_ids(txns, *lanes_[level]->ids);
  }

 private:
  /// Tells where it stands, if somebody asks and all goes well.
  Result<txscope::Done> keep() const {
    if (!options_.wants_state || !options_.wants_state()) return Done{};
    for (const auto& lane : lanes_)
      if (!lane->goes_on) return Done{};
    SavedState state;
    save(state);
    return options_.keep_state(state);
  }

  /// What the state has read already: the same header and transactions.  Those
  /// that had no place yet are there again.
  Result<txscope::Done> skip(const SavedState& from) {
    std::vector<std::pair<std::uint64_t, sql::LogTransaction>> again;
    std::set<std::uint64_t> waiting;
    for (const LevelState& level : from.levels)
      waiting.insert(level.waiting.begin(), level.waiting.end());
    for (; lines_ < from.lines; ++lines_) {
      auto next = input_.next();
      if (!next) return next.error();
      if (!*next) break;
      if (waiting.count(lines_) != 0)
        again.emplace_back(lines_, std::move(**next));
    }
    if (lines_ < from.lines || input_.digest() != from.log)
      return other_state(input_.file,
                         "this is not the log that the state is of: its "
                         "header or one of its first " +
                             std::to_string(from.lines) +
                             " transactions is another");
    for (auto& [line, transaction] : again) {
      const auto is_waiting = [at = line](const Lane& lane) {
        const auto& all = lane.from->waiting;
        return std::binary_search(all.begin(), all.end(), at);
      };
      if (auto ok =
              hold(next_number_++, line, std::move(transaction), is_waiting);
          !ok)
        return ok;
    }
    // What these are was counted already.
    preparer_.resume(from);
    report_.judged = report_.own_levels = 0;
    report_.transactions = from.transactions;
    report_.statements = from.statements;
    report_.aborted = from.aborted;
    report_.unknown = from.unknown;
    report_.not_judged = from.not_judged;
    return Done{};
  }

  void save(SavedState& state) const {
    state = SavedState();
    state.lines = lines_;
    state.log = input_.digest();
    state.options = state_options(options_);
    preparer_.save(state);
    state.transactions = report_.transactions;
    state.statements = report_.statements;
    state.aborted = report_.aborted;
    state.unknown = report_.unknown;
    state.not_judged = report_.not_judged;
    for (const auto& lane : lanes_) {
      if (!lane->goes_on) continue;
      LevelState level;
      level.level = lane->name;
      level.replay = lane->replay->state();
      level.next_ids = lane->ids->next();
      for (const std::uint32_t number : lane->replay->waiting())
        level.waiting.push_back(held_.at(number)->line);
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
    const LevelState* from = nullptr;
    bool goes_on = true;
  };
  struct Held {
    sql::LogTransaction log;
    Txn txn;
    std::size_t users = 0;
    std::uint64_t line = 0;  ///< its number in the log, from 0
  };

  Result<txscope::Done> add(std::uint32_t number, sql::LogTransaction t) {
    report_.statements += t.statements.size();
    report_.aborted += t.status == sql::LogStatus::Aborted ? 1 : 0;
    report_.unknown += t.status == sql::LogStatus::Unknown ? 1 : 0;
    if (!preparer_.is_judged(t)) return Done{};
    ++report_.transactions;
    return hold(number, lines_ - 1, std::move(t),
                [](const Lane&) { return true; });
  }

  /// Gives a transaction to lanes.
  template <class IsFor>
  Result<txscope::Done> hold(std::uint32_t number, std::uint64_t line,
                             sql::LogTransaction t, const IsFor& is_for) {
    auto held = std::make_unique<Held>();
    held->log = std::move(t);
    held->line = line;
    auto txn = preparer_.prepare(held->log);
    if (!txn) return txn.error();
    held->txn = std::move(*txn);
    report_.own_levels += held->txn.rule ? 1 : 0;
    if (preparer_.has_unknown_tables())
      held->txn.is_opaque = preparer_.opaque(held->txn);
    report_.judged += answers_of(held->txn);
    report_.not_judged += held->txn.not_judged();
    if (options_.evidence || options_.certify) {
      names_.resize(number + 1);
      names_[number] = held->log.id;
    }
    const Held& kept = *held_.emplace(number, std::move(held)).first->second;
    const std::int64_t at = hint(kept.log);
    for (const auto& lane : lanes_) {
      if (!lane->goes_on || !is_for(*lane)) continue;
      ++held_.at(number)->users;
      lane->goes_on =
          lane->replay->add(number, kept.txn, at) && lane->replay->advance();
      const auto& bad = lane->replay->first_bad();
      if (!lane->goes_on && bad && options_.on_stuck)
        options_.on_stuck(lane->name, *bad);
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
  std::uint32_t next_number_ = 0;
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
         (!a.is_strict || b.is_strict) && a.is_exact == b.is_exact;
}

/// Decides levels so that one which takes long does not use up what others
/// need little of: all get a short time first, and then equal parts.
void decide_levels(const LoadedLog& log, const std::vector<std::size_t>& open,
                   const AuditOptions& options, const Budget& budget,
                   AuditReport& report) {
  constexpr std::uint64_t kFirstLook = 1'000'000;  // steps
  std::vector<std::optional<FirstBad>> stuck;
  for (const std::size_t i : open)
    stuck.push_back(std::move(report.results[i].found.first_bad));
  const auto implied = [&](const AuditLevel& level) -> const Found* {
    for (const std::size_t i : open) {
      const AuditResult& other = report.results[i];
      if (other.found.answer == Outcome::Violated &&
          is_weaker(other.level, level))
        return &other.found;
    }
    return nullptr;
  };
  for (const bool is_first : {true, false}) {
    if (is_first && open.size() == 1) continue;
    for (std::size_t o = 0; o < open.size(); ++o) {
      AuditResult& result = report.results[open[o]];
      const bool is_open = result.found.answer == Outcome::Undecided &&
                           (is_first || result.found.reason.empty() ||
                            result.found.reason == to_string(Spent::Time) ||
                            result.found.reason == to_string(Spent::Steps));
      if (!is_open) continue;
      const Budget share = budget.share(open.size() - o);
      if (const Found* found = implied(result.level))
        result.found = *found;
      else
        result.found = decide(log, result.level, stuck[o],
                              is_first ? share.at_most(kFirstLook) : share);
      tell(options, result);
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

/// Exact times are of every transaction that committed.
Result<Done> check_times(const LoadedLog& log) {
  for (const Txn& txn : log.whole().txns) {
    const sql::LogTransaction& t = *txn.log;
    if (t.status != sql::LogStatus::Committed) continue;
    const auto at = committed_at(t);
    const bool is_backwards = t.start && at && *at < *t.start;
    if (t.start && at && !is_backwards) continue;
    Error error;
    error.where = {log.file(), t.line, 0, {}};
    error.what = "transaction " + t.id +
                 (is_backwards ? " committed before it began"
                               : " has no start, or no commit and no end");
    error.hint = "--times exact needs the database's times of all of them";
    return error;
  }
  return Done{};
}

/// What people need to understand what is not explained.
void tell_evidence(const LoadedLog& log, const std::vector<std::size_t>& open,
                   const Budget& budget, AuditReport& report) {
  for (const std::size_t i : open) {
    Found& found = report.results[i].found;
    if (found.answer != Outcome::Holds) tell_rows(log, budget, found);
  }
  for (const sql::Table& table : log.initial().schema().tables) {
    std::vector<std::string>& names = report.columns[table.name];
    for (const sql::Column& column : table.columns)
      names.push_back(column.name);
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
  for (const std::size_t i : open)
    if (report.results[i].level.has_order())
      if (auto ok = check_times(log); !ok) return ok;
  report.transactions = log.whole().txns.size();
  report.statements = log.statements();
  report.skipped = log.skipped();
  report.aborted = report.unknown = 0;
  for (const sql::LogTransaction& t : log.whole().transactions) {
    report.aborted += t.status == sql::LogStatus::Aborted ? 1 : 0;
    report.unknown += t.status == sql::LogStatus::Unknown ? 1 : 0;
  }
  report.judged = report.not_judged = 0;
  for (const Txn& txn : log.whole().txns) {
    report.judged += answers_of(txn);
    report.not_judged += txn.not_judged();
  }
  report.own_levels = static_cast<std::uint64_t>(
      std::count_if(log.whole().txns.begin(), log.whole().txns.end(),
                    [](const Txn& txn) { return txn.rule.has_value(); }));
  if (options.search_steps)
    decide_levels(log, open, options, budget.at_most(*options.search_steps),
                  report);
  else
    decide_levels(log, open, options, budget, report);
  for (const std::size_t i : open) {
    AuditResult& result = report.results[i];
    for (const Txn& txn : log.whole().txns) result.ids.push_back(txn.log->id);
  }
  tell_evidence(log, open, budget, report);
  return Done{};
}

/// Where every answer was left out nothing is explained.
void doubt_all(AuditReport& report) {
  if (report.skipped == 0 || report.judged > 0) return;
  for (AuditResult& result : report.results) {
    if (result.found.answer != Outcome::Holds) continue;
    result.found.answer = Outcome::Undecided;
    result.found.reason =
        "what was left out may have changed all that was seen, so nothing "
        "was judged";
  }
}

/// Runs what holds again; an answer that does not stand is an error of ours.
Result<Done> certify_all(const LogInput& input, const AuditOptions& options,
                         const Budget& budget, AuditReport& report) {
  for (AuditResult& result : report.results) {
    if (result.found.answer != Outcome::Holds) continue;
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
  if (options.from != nullptr)
    if (auto ok = check_state(input, levels, options); !ok) return ok.error();
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
      result.found.answer = Outcome::Holds;
      result.found.strategy = "one-pass";
      if (options.evidence || options.certify) {
        result.found.order = pass.replay(i).order();
        result.found.given = pass.given(i);
        result.ids = pass.names_;
      }
    } else {
      result.found.first_bad = pass.replay(i).first_bad();
      open.push_back(i);
    }
    tell(options, result);
    report.results.push_back(std::move(result));
  }
  if (!open.empty())
    if (auto rest = decide_rest(input, options, open, std::move(*initial),
                                budget, report);
        !rest)
      return rest.error();
  if (options.from == nullptr) doubt_all(report);
  if (options.certify)
    if (auto ok = certify_all(input, options, budget, report); !ok)
      return ok.error();
  return report;
}

}  // namespace txscope::audit
