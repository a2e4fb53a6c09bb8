#include "analyze/analyze.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "analyze/arguments/arguments.h"
#include "analyze/failing_setup.h"
#include "analyze/arguments/made_up_rows.h"
#include "analyze/arguments/row_search.h"
#include "analyze/finding_list.h"
#include "analyze/level_table.h"
#include "analyze/pair_search.h"
#include "analyze/repairs.h"
#include "analyze/suggest/suggested_rules.h"
#include "analyze/triples.h"
#include "analyze/type_proof.h"
#include "model/product/error_class.h"

namespace txscope::analyze {
namespace {

constexpr std::size_t kMostChoicesOfPair = 8;
/// Steps for one pair with one choice of arguments.
constexpr std::uint64_t kOneSearch = 2'000'000;
/// Steps for the proof of all pairs.
constexpr std::uint64_t kProof = 4'000'000;
/// Steps for all findings at all stronger levels.
constexpr std::uint64_t kLevels = 8'000'000;

/// Of three calls, each with the first arguments or the next ones.
constexpr std::size_t kMostChoicesOfTriple = 4;
constexpr std::uint64_t kOneTriple = 500'000;
constexpr std::size_t kMostTriples = 150;

bool breaks_constraint(const std::string& code) {
  const ErrorRow* row = find_error(code);
  return row != nullptr && is_constraint(row->is);
}

/// What searches of a group have shown so far.
struct Searched {
  bool is_race = false;
  bool has_deadlock = false;
  bool is_open = false;
  std::size_t tried = 0;
  std::string why;  ///< it is open
  std::vector<std::string> errors;

  [[nodiscard]] CellVerdict verdict() const {
    if (is_race) return CellVerdict::Race;
    return is_open ? CellVerdict::Undecided : CellVerdict::Tried;
  }
};

class Analyst {
 public:
  Analyst(const AnalyzeOptions& options, const Budget& budget)
      : options_(options), budget_(budget), findings_(found_) {}

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
    suggest();
    choose();
    prove();
    for (std::size_t a = 0; a < found_.types.size(); ++a)
      for (std::size_t b = a; b < found_.types.size(); ++b) decide(a, b);
    decide_triples();
    repair_all();
    findings_.sort();
    return std::move(found_);
  }

 private:
  /// Rows for tables that have none, so that somebody can meet on them.
  void prepare(sql::Application& application) {
    const std::size_t written = application.setup.size();
    if (!is_planned_)
      plan_ = search_rows(found_.types, application, budget_.share(6));
    is_planned_ = true;
    const auto filled =
        make_up_rows_for(found_.types, plan_, application, budget_);
    made_up_ = application.setup.size() - written;
    if (filled.empty()) return;
    std::string tables;
    for (const std::string& name : filled)
      tables += (tables.empty() ? "" : ", ") + name;
    found_.notes.push_back("rows were made up for tables without any: " +
                           tables);
  }

  /// Rules that nobody has written down.
  void suggest() {
    const auto rules = suggested_rules(source_, runner_->initial(), budget_);
    runner_->ask_also(rules);
    source_.properties.insert(source_.properties.end(), rules.begin(),
                              rules.end());
    RuleNames names;
    for (const sql::Property& rule : rules) {
      names.insert(rule.name);
      found_.suggested.push_back(rule.name);
    }
    findings_.set_suggested(std::move(names));
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

  void prove() {
    tell("proving");
    // What the proof leaves open needs time, too.
    proof_ = prove_types(source_, found_.types, *options_.profile,
                         budget_.share(3).at_most(kProof));
    found_.levels.needs = proof_.needs;
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
      scene_ = {runner_.get(), {}, {}};
      Searched searched;
      search({a, b}, kMostChoicesOfPair, kOneSearch, searched);
      for (const std::size_t t : {a, b})
        if (searched.verdict() == CellVerdict::Tried && go_to_the_limit(t))
          search({a, b}, kMostChoicesOfPair, kOneSearch, searched);
      conclude(searched, cell);
    }
    if (options_.on_cell) options_.on_cell(cell);
    found_.cells.push_back(std::move(cell));
  }

  /// Three at a time, where no two of them go wrong.
  void decide_triples() {
    if (options_.profile->isolation == Isolation::Serializable) return;
    const auto all = triples_to_try(found_, proof_);
    for (const Group& group : all) {
      if (budget_.spent_now() || found_.triples.size() == kMostTriples) break;
      tell(found_.name_of(group));
      scene_ = {runner_.get(), {}, {}};
      Searched searched;
      search(group, kMostChoicesOfTriple, kOneTriple, searched);
      found_.triples.push_back({group, searched.verdict(),
                                searched.has_deadlock, searched.tried,
                                searched.why});
    }
    found_.triples_left = all.size() - found_.triples.size();
  }

  /// Choices of arguments for each of a group, those of small numbers first.
  [[nodiscard]] std::vector<std::vector<std::size_t>> choices(
      const Group& group, std::size_t most) const {
    std::vector<std::vector<std::size_t>> all = {{}};
    for (std::size_t i = 0; i < group.size(); ++i) {
      std::vector<std::vector<std::size_t>> longer;
      for (const auto& one : all) {
        const bool is_again = i > 0 && group[i] == group[i - 1];
        for (std::size_t c = is_again ? one.back() : 0;
             c < found_.types[group[i]].choices.size(); ++c) {
          longer.push_back(one);
          longer.back().push_back(c);
        }
      }
      all = std::move(longer);
    }
    const auto sum = [](const std::vector<std::size_t>& one) {
      return std::accumulate(one.begin(), one.end(), std::size_t{0});
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) {
      return sum(x) < sum(y);
    });
    if (all.size() > most) all.resize(most);
    return all;
  }

  [[nodiscard]] std::vector<CallRunner::Part> parts_of(
      const Group& group, const std::vector<std::size_t>& choice) const {
    std::vector<CallRunner::Part> parts;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const TransactionType& type = found_.types[group[i]];
      parts.push_back({&type, &type.choices[choice[i]]});
    }
    return parts;
  }

  /// The calls of a group with all choices.
  void add_parts(const Group& group,
                 std::vector<std::vector<CallRunner::Part>>& all) const {
    const std::size_t most =
        group.size() == 2 ? kMostChoicesOfPair : kMostChoicesOfTriple;
    for (const auto& choice : choices(group, most))
      all.push_back(parts_of(group, choice));
  }

  void search(const Group& group, std::size_t most, std::uint64_t steps,
              Searched& searched) {
    for (const auto& choice : choices(group, most)) {
      if (budget_.spent_now()) {
        found_.is_cut = searched.is_open = true;
        searched.why = "the time was up";
        return;
      }
      const auto parts = parts_of(group, choice);
      const Budget effort = budget_.at_most(steps);
      const auto answer =
          scene_.runner->explore(parts, *options_.profile, effort);
      ++found_.searches;
      if (!answer) {
        searched.is_open = true;
        searched.why = answer.error().what;
        return;
      }
      ++searched.tried;
      found_.outcomes += answer->counts.histories;
      searched.is_open = searched.is_open || (!answer->is_complete &&
                                              answer->counterexamples.empty());
      if (!answer->is_complete && searched.why.empty())
        searched.why = answer->cut_reason.empty() ? "the search took too long"
                                                  : answer->cut_reason;
      const auto taken = findings_.take(*answer, group, scene_, parts);
      searched.is_race = searched.is_race || taken.is_race;
      searched.has_deadlock = searched.has_deadlock || taken.has_deadlock;
      if (group.size() == 2) errors(*answer, group, searched.errors);
    }
  }

  void conclude(const Searched& searched, Cell& cell) const {
    cell.verdict = searched.verdict();
    cell.has_deadlock = searched.has_deadlock;
    cell.errors = searched.errors;
    cell.tried = searched.tried;
    cell.why = searched.why;
    if (cell.verdict != CellVerdict::Tried) return;
    cell.why.clear();
    if (proof_.safe_pairs.contains({cell.a, cell.b})) {
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
        sql::Call call = call_with(source_, type.routine, arguments);
        call.label = type.name;
        limit.scene.before_words.push_back(call_text(source_, call));
        limit.scene.before.push_back(std::move(call));
      }
      if (!limit.scene.before.empty())
        if (auto runner = CallRunner::make(source_, options_.loop_bound,
                                           budget_, limit.scene.before))
          limit.runner = std::move(*runner);
      limit.scene.runner = limit.runner.get();
    }
    scene_ = limit.scene;
    return scene_.runner != nullptr;
  }

  /// When all pairs are known, so that a change is tried with each that it is
  /// for.
  void repair_all() {
    const Repaired repaired{source_,
                            found_.types,
                            *options_.profile,
                            findings_.suggested(),
                            options_.text,
                            options_.reread,
                            [this](const Profile& one) {
                              return !options_.is_offered ||
                                     options_.is_offered(one);
                            },
                            options_.loop_bound,
                            made_up_,
                            plan_,
                            !found_.left_out.empty()};
    std::vector<WrongCalls> calls;
    std::map<std::size_t, std::size_t> calls_of;  // by number of the finding
    for (const auto& [number, run] : findings_.runs()) {
      calls_of.emplace(number, calls.size());
      calls.push_back({*run.runner, run.before, {run.parts}, {}});
      const auto& groups = found_.findings[number].groups;
      for (std::size_t i = 0; i < groups.size(); ++i)
        add_parts(groups[i], i == 0 ? calls.back().pair : calls.back().others);
    }
    for (const auto& [number, c] : calls_of) {
      if (!options_.reread) break;
      RaceFinding& finding = found_.findings[number];
      tell("repairs of " + finding.id);
      find_repairs(repaired, calls[c], budget_, finding);
    }
    look_at_levels(repaired, calls, calls_of);
  }

  /// What is left of the findings at stronger levels.
  void look_at_levels(const Repaired& repaired,
                      const std::vector<WrongCalls>& calls,
                      const std::map<std::size_t, std::size_t>& calls_of) {
    std::vector<const Profile*> levels = {options_.profile};
    for (const Profile* one : stronger_levels(repaired)) levels.push_back(one);
    const auto needs = std::move(found_.levels.needs);
    tell("levels");
    const Budget effort = budget_.at_most(kLevels);
    found_.levels = level_table(
        found_, levels, [&](std::size_t finding, const Profile& level) {
          return PairQuestion(repaired, calls[calls_of.at(finding)], effort)
              .at(level);
        });
    found_.levels.needs = needs;
  }

  /// Errors that only running at the same time gives.
  void errors(const Answer& answer, const Group& group,
              std::vector<std::string>& known) {
    std::set<std::string> odd;
    for (const auto& [code, count] : answer.counts.aborts)
      if (breaks_constraint(code) || fails_to_serialize(code)) odd.insert(code);
    if (odd.empty()) return;
    const auto serial = scene_.runner->serial_errors(budget_);
    const bool fails_alone =
        std::any_of(serial.begin(), serial.end(), breaks_constraint);
    for (const std::string& code : odd) {
      if (breaks_constraint(code) && fails_alone) continue;
      if (std::find(known.begin(), known.end(), code) != known.end()) continue;
      known.push_back(code);
      std::set<CallRunner::Failure> failures = scene_.runner->failures(
          code, *options_.profile, budget_.at_most(kOneSearch));
      if (failures.empty()) failures.insert({});  // it took too long
      for (const CallRunner::Failure& failure : failures)
        findings_.add_error(code, failure, group, scene_);
    }
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
    Scene scene;
    std::unique_ptr<CallRunner> runner;  ///< null: there is none
  };
  std::map<std::size_t, Limit> limits_;  // by type
  Scene scene_;                          // of the searches
  RowPlan plan_;                         ///< of the rows that are made up
  bool is_planned_ = false;
  std::size_t made_up_ = 0;  // statements of the setup
  TypeProof proof_;
  Analysis found_;
  FindingList findings_;
};

}  // namespace

Result<Analysis> analyze(sql::Application application,
                         const AnalyzeOptions& options, const Budget& budget) {
  return Analyst(options, budget).run(std::move(application));
}

}  // namespace txscope::analyze
