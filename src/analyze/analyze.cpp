#include "analyze/analyze.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "analyze/arguments.h"
#include "analyze/cause.h"
#include "analyze/failing_setup.h"
#include "analyze/made_up_rows.h"
#include "analyze/pair_search.h"
#include "analyze/repairs.h"
#include "model/product/error_class.h"
#include "robust/proof/prover.h"

namespace txscope::analyze {
namespace {

constexpr std::size_t kMostChoicesOfPair = 8;
/// Steps for one pair with one choice of arguments.
constexpr std::uint64_t kOneSearch = 2'000'000;
/// Steps for the proof of all pairs.
constexpr std::uint64_t kProof = 4'000'000;

bool breaks_constraint(const std::string& code) {
  const ErrorRow* row = find_error(code);
  return row != nullptr && is_constraint(row->is);
}
bool fails_to_serialize(const std::string& code) {
  const ErrorRow* row = find_error(code);
  return row != nullptr && row->is == ErrorClass::Serialization;
}

class Analyst {
 public:
  Analyst(const AnalyzeOptions& options, const Budget& budget)
      : options_(options), budget_(budget) {}

  Result<Analysis> run(sql::Application application) {
    found_.file = application.file;
    found_.level = options_.profile->name;
    found_.types = transaction_types(application);
    const std::size_t own = application.setup.size();
    prepare(application);
    source_ = application;  // with its sessions, for repairs
    auto runner =
        CallRunner::make(std::move(application), options_.loop_bound, budget_);
    if (!runner) {
      source_.setup.resize(own);
      found_.left_out =
          leave_out_failing(source_, options_.loop_bound, budget_);
      if (found_.left_out.empty()) return runner.error();
      prepare(source_);
      runner = CallRunner::make(source_, options_.loop_bound, budget_);
    }
    if (!runner) return runner.error();
    runner_ = std::move(*runner);
    found_.rules = runner_->application().properties.size();
    choose();
    prove();
    for (std::size_t a = 0; a < found_.types.size(); ++a)
      for (std::size_t b = a; b < found_.types.size(); ++b) decide(a, b);
    repair_all();
    finish();
    return std::move(found_);
  }

 private:
  /// Rows for tables that have none, so that somebody can meet on them.
  void prepare(sql::Application& application) {
    const std::size_t written = application.setup.size();
    const auto filled = make_up_rows_for(found_.types, application, budget_);
    made_up_ = application.setup.size() - written;
    if (filled.empty()) return;
    std::string tables;
    for (const std::string& name : filled)
      tables += (tables.empty() ? "" : ", ") + name;
    found_.notes.push_back("rows were made up for tables without any: " +
                           tables);
  }

  void choose() {
    for (TransactionType& type : found_.types) {
      if (!type.not_checked.empty()) continue;
      type.choices =
          choose_arguments(source_, type.routine, runner_->initial(), budget_);
      const bool commits = std::any_of(
          type.choices.begin(), type.choices.end(), [&](const Arguments& one) {
            return commits_alone(runner_->initial(), type.routine, one,
                                 budget_);
          });
      type.changes_something = std::any_of(
          type.choices.begin(), type.choices.end(), [&](const Arguments& one) {
            return changes_alone(runner_->initial(), type.routine, one,
                                 budget_);
          });
      if (!commits)
        type.not_checked =
            "no choice of arguments lets it commit alone; name "
            "one, as in --@ session a: CALL " +
            type.name + "(..);";
    }
    for (const TransactionType& type : found_.types)
      if (!type.not_checked.empty())
        found_.not_checked.push_back(type.name + ": " + type.not_checked);
  }

  /// Pairs that are serializable for all arguments.
  void prove() {
    const Profile& profile = *options_.profile;
    if (profile.product != Product::PostgreSql) return;
    if (profile.isolation == Isolation::Serializable) return;
    std::vector<sql::RoutineId> routines;
    std::vector<std::size_t> numbers;
    for (std::size_t t = 0; t < found_.types.size(); ++t) {
      if (!found_.types[t].not_checked.empty()) continue;
      routines.push_back(found_.types[t].routine);
      numbers.push_back(t);
    }
    if (routines.empty()) return;
    tell("proving");
    // What the proof leaves open needs time, too.
    const Budget effort = budget_.share(3).at_most(kProof);
    robust::Prover prover(source_, routines, robust::Granularity::Result, true,
                          effort);
    const auto open =
        prover.open_triples(profile.isolation == Isolation::ReadCommitted
                                ? robust::PivotLevel::ReadCommitted
                                : robust::PivotLevel::Snapshot);
    if (prover.has_given_up()) return;
    for (const auto& [a, b] : robust::safe_pairs(routines.size(), open))
      proved_.emplace(numbers[a], numbers[b]);
  }

  void decide(std::size_t a, std::size_t b) {
    Cell cell;
    cell.a = a;
    cell.b = b;
    const TransactionType& first = found_.types[a];
    const TransactionType& second = found_.types[b];
    if (!first.not_checked.empty() || !second.not_checked.empty()) {
      cell.why = "not checked";
    } else if (!can_meet(first, second)) {
      cell.verdict = CellVerdict::Safe;
      cell.can_meet = false;
      cell.why = "they have no table in common that one of them writes";
    } else if (budget_.spent_now()) {
      found_.is_cut = true;
      cell.why = "the time was up";
    } else {
      tell(first.name + " x " + second.name);
      current_ = runner_.get();
      search(cell);
      for (const std::size_t t : {a, b})
        if (cell.verdict == CellVerdict::Tried && go_to_the_limit(t))
          search(cell);
      conclude(cell);
    }
    if (options_.on_cell) options_.on_cell(cell);
    found_.cells.push_back(std::move(cell));
  }

  /// Choices of arguments, those of equal numbers first.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> choices(
      std::size_t a, std::size_t b) const {
    const std::size_t m = found_.types[a].choices.size();
    const std::size_t n = found_.types[b].choices.size();
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = a == b ? i : 0; j < n; ++j) all.emplace_back(i, j);
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
      return x.first + x.second < y.first + y.second;
    });
    if (all.size() > kMostChoicesOfPair) all.resize(kMostChoicesOfPair);
    return all;
  }

  /// The calls of a pair with all choices.
  void add_parts(const std::pair<std::size_t, std::size_t>& pair,
                 std::vector<std::vector<CallRunner::Part>>& all) const {
    const TransactionType& first = found_.types[pair.first];
    const TransactionType& second = found_.types[pair.second];
    for (const auto& [i, j] : choices(pair.first, pair.second))
      all.push_back(
          {{&first, &first.choices[i]}, {&second, &second.choices[j]}});
  }

  void search(Cell& cell) {
    const TransactionType& first = found_.types[cell.a];
    const TransactionType& second = found_.types[cell.b];
    bool is_open = false;
    bool is_race = false;
    for (const auto& [i, j] : choices(cell.a, cell.b)) {
      if (budget_.spent_now()) {
        found_.is_cut = is_open = true;
        cell.why = "the time was up";
        break;
      }
      parts_ = {{&first, &first.choices[i]}, {&second, &second.choices[j]}};
      const Budget effort = budget_.at_most(kOneSearch);
      const auto answer = current_->explore(parts_, *options_.profile, effort);
      ++found_.searches;
      if (!answer) {
        is_open = true;
        cell.why = answer.error().what;
        break;
      }
      ++cell.tried;
      found_.outcomes += answer->counts.histories;
      is_open =
          is_open || (!answer->is_complete && answer->counterexamples.empty());
      if (!answer->is_complete && cell.why.empty())
        cell.why = answer->cut_reason.empty() ? "the search took too long"
                                              : answer->cut_reason;
      is_race = take(*answer, cell) || is_race;
      errors(*answer, cell);
    }
    if (is_race)
      cell.verdict = CellVerdict::Race;
    else if (is_open)
      cell.verdict = CellVerdict::Undecided;
    else
      cell.verdict = CellVerdict::Tried;
  }

  void conclude(Cell& cell) const {
    if (cell.verdict != CellVerdict::Tried) return;
    cell.why.clear();
    if (proved_.count({cell.a, cell.b}) == 1) {
      cell.verdict = CellVerdict::Safe;
      cell.why = "proved for all arguments and any number of calls";
    } else if (!found_.types[cell.a].changes_something &&
               !found_.types[cell.b].changes_something) {
      cell.verdict = CellVerdict::Undecided;
      cell.why = "no choice of arguments lets them change a row";
    }
  }

  /// From now on calls run where a type can be called once more, but not
  /// twice: limits that are far away are not met from the first state.
  bool go_to_the_limit(std::size_t t) {
    const auto [known, is_first] = limits_.try_emplace(t);
    Limit& limit = known->second;
    if (is_first) {
      const TransactionType& type = found_.types[t];
      for (const Arguments& arguments :
           calls_to_the_limit(runner_->initial(), type, budget_)) {
        sql::Call call;
        call.label = type.name;
        call.routine = type.routine;
        call.arguments = arguments;
        call.at = source_.at(type.routine).at;
        call.is_made = true;
        limit.words.push_back(call_text(source_, call));
        limit.calls.push_back(std::move(call));
      }
      if (!limit.calls.empty())
        if (auto runner = CallRunner::make(source_, options_.loop_bound,
                                           budget_, limit.calls))
          limit.runner = std::move(*runner);
    }
    current_ = limit.runner.get();
    before_ = limit.words;
    before_calls_ = limit.calls;
    return current_ != nullptr;
  }

  /// Whether one of the counterexamples is a race.
  bool take(const Answer& answer, Cell& cell) {
    bool is_race = false;
    const auto each = [&](bool of_rules) {
      for (const Counterexample& example : answer.counterexamples) {
        if (example.builtin.has_value() == of_rules) continue;
        if (of_rules && !example.is_avoided_serially) {
          note_serial(example.name);
        } else if (example.builtin == Builtin::NoDeadlock) {
          cell.has_deadlock = true;
          add(FindingKind::Deadlock, example, cell);
        } else {
          is_race = true;
          add(FindingKind::Race, example, cell);
        }
      }
    };
    each(false);  // what breaks a rule is mostly known by then
    each(true);
    return is_race;
  }

  void note_serial(const std::string& rule) {
    if (serially_broken_.insert(rule).second)
      found_.notes.push_back("the rule " + rule +
                             " breaks in some serial order, too, of calls "
                             "that were tried: that is no race");
  }

  void add(FindingKind kind, const Counterexample& example, const Cell& cell) {
    const auto [known, is_new] =
        causes_.try_emplace(cause_of(kind, example), found_.findings.size());
    if (is_new) {
      RaceFinding finding;
      finding.kind = kind;
      finding.workload = sql::workload_of(current_->application());
      if (current_ != runner_.get()) finding.before = before_;
      finding.example = example;
      finding.sentence = sentence_of(finding.workload, kind, example);
      finding.serially = serially(example);
      finding.id = stable_id(finding.workload, kind, example);
      runs_.emplace(found_.findings.size(),
                    Run{current_,
                        current_ == runner_.get() ? std::vector<sql::Call>()
                                                  : before_calls_,
                        parts_});
      found_.findings.push_back(std::move(finding));
    }
    RaceFinding& finding = found_.findings[known->second];
    add_once(finding.pairs, std::make_pair(cell.a, cell.b));
    if (!example.builtin) add_once(finding.rules, example.name);
  }

  /// When all pairs are known, so that a change is tried with each that it is
  /// for.
  void repair_all() {
    if (!options_.reread) return;
    const Repaired repaired{source_,
                            found_.types,
                            *options_.profile,
                            options_.text,
                            options_.reread,
                            [this](const Profile& one) {
                              return !options_.is_offered ||
                                     options_.is_offered(one);
                            },
                            options_.loop_bound,
                            made_up_,
                            !found_.left_out.empty()};
    for (const auto& [number, run] : runs_) {
      RaceFinding& finding = found_.findings[number];
      tell("repairs of " + finding.id);
      WrongCalls calls{*run.runner, run.before, {run.parts}, {}};
      for (std::size_t i = 0; i < finding.pairs.size(); ++i)
        add_parts(finding.pairs[i], i == 0 ? calls.pair : calls.others);
      find_repairs(repaired, calls, budget_, finding);
    }
  }

  template <class T>
  static void add_once(std::vector<T>& all, const T& one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }

  /// Errors that only running at the same time gives.
  void errors(const Answer& answer, Cell& cell) {
    std::set<std::string> odd;
    for (const auto& [code, count] : answer.counts.aborts)
      if (breaks_constraint(code) || fails_to_serialize(code)) odd.insert(code);
    if (odd.empty()) return;
    const auto serial = current_->serial_errors(budget_);
    const bool fails_alone =
        std::any_of(serial.begin(), serial.end(), breaks_constraint);
    for (const std::string& code : odd) {
      if (breaks_constraint(code) && fails_alone) continue;
      if (std::find(cell.errors.begin(), cell.errors.end(), code) !=
          cell.errors.end())
        continue;
      cell.errors.push_back(code);
      std::set<CallRunner::Failure> failures = current_->failures(
          code, *options_.profile, budget_.at_most(kOneSearch));
      if (failures.empty()) failures.insert({});  // it took too long
      for (const CallRunner::Failure& failure : failures)
        add_error(code, failure, cell);
    }
  }

  /// One finding per code and statement.
  void add_error(const std::string& code, const CallRunner::Failure& failure,
                 const Cell& cell) {
    const auto [known, is_new] = causes_.try_emplace(
        "error:" + code + ":" + std::to_string(failure.at.offset),
        found_.findings.size());
    if (is_new) {
      RaceFinding finding;
      finding.kind = FindingKind::Error;
      finding.code = code;
      finding.workload = sql::workload_of(current_->application());
      finding.id = stable_error_id(finding.workload, code, failure.at);
      const std::string& who =
          found_.types[failure.part == 0 ? cell.a : cell.b].name;
      finding.sentence =
          failure.at.line == 0
              ? found_.types[cell.a].name + " and " +
                    found_.types[cell.b].name + " at the same time can fail"
              : who + " can fail at line " + std::to_string(failure.at.line);
      finding.sentence +=
          " with " + code + ", which no serial order does" +
          (fails_to_serialize(code) ? ": the transaction has to be run again"
                                    : "");
      found_.findings.push_back(std::move(finding));
    }
    add_once(found_.findings[known->second].pairs,
             std::make_pair(cell.a, cell.b));
  }

  /// Races that break rules, other races, deadlocks, errors; many pairs first.
  void finish() {
    const auto weight = [](const RaceFinding& finding) {
      switch (finding.kind) {
        case FindingKind::Race: return finding.rules.empty() ? 1 : 0;
        case FindingKind::Deadlock: return 2;
        case FindingKind::Error: return 3;
      }
      return 4;
    };
    std::stable_sort(found_.findings.begin(), found_.findings.end(),
                     [&](const RaceFinding& x, const RaceFinding& y) {
                       if (weight(x) != weight(y)) return weight(x) < weight(y);
                       return x.pairs.size() > y.pairs.size();
                     });
  }

  void tell(const std::string& line) const {
    if (options_.on_progress)
      options_.on_progress(line + ", " + std::to_string(found_.cells.size()) +
                           " pairs done");
  }

  const AnalyzeOptions& options_;
  const Budget& budget_;
  sql::Application source_;
  std::unique_ptr<CallRunner> runner_;
  struct Limit {
    std::vector<sql::Call> calls;
    std::vector<std::string> words;
    std::unique_ptr<CallRunner> runner;  ///< null: there is none
  };
  std::map<std::size_t, Limit> limits_;  // by type
  CallRunner* current_ = nullptr;        // runner_, or that of a limit
  std::vector<std::string> before_;
  std::vector<sql::Call> before_calls_;  // the same
  std::vector<CallRunner::Part> parts_;  // of the last search
  /// How a finding was found.
  struct Run {
    CallRunner* runner = nullptr;
    std::vector<sql::Call> before;
    std::vector<CallRunner::Part> parts;
  };
  std::map<std::size_t, Run> runs_;  // by number of the finding
  std::size_t made_up_ = 0;          // statements of the setup
  std::set<std::pair<std::size_t, std::size_t>> proved_;
  std::map<std::string, std::size_t> causes_;
  std::set<std::string> serially_broken_;
  Analysis found_;
};

}  // namespace

std::string Analysis::why_nothing() const {
  if (types.empty()) return "no transaction was found in it";
  const auto none = [this](const auto& is_so) {
    return std::none_of(cells.begin(), cells.end(), is_so);
  };
  if (none([](const Cell& c) { return c.verdict != CellVerdict::Undecided; }))
    return "none of its transactions could be run";
  if (none([](const Cell& c) { return c.can_meet; }))
    return "no two transactions have a table in common that one of them writes";
  return "";
}

std::string_view name(CellVerdict verdict) {
  switch (verdict) {
    case CellVerdict::Safe: return "safe";
    case CellVerdict::Tried: return "tried";
    case CellVerdict::Race: return "race";
    case CellVerdict::Undecided: return "undecided";
  }
  return "undecided";
}

std::string_view name(FindingKind kind) {
  switch (kind) {
    case FindingKind::Race: return "race";
    case FindingKind::Deadlock: return "deadlock";
    case FindingKind::Error: return "error";
  }
  return "race";
}

Result<Analysis> analyze(sql::Application application,
                         const AnalyzeOptions& options, const Budget& budget) {
  return Analyst(options, budget).run(std::move(application));
}

}  // namespace txscope::analyze
