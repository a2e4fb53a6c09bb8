#include "txscope/audit.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "audit/audit.h"
#include "verb/answer/evidence.h"
#include "verb/answer/vacuity.h"
#include "verb/database/audit_state.h"
#include "verb/input/levels.h"
#include "verb/input/log_input.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

using audit::AuditLevel;

/// What the log claims, in the words of levels.
Result<std::vector<AuditLevel>> audit_levels(const AuditRequest& request,
                                             const sql::LogHeader& header) {
  std::vector<AuditLevel> levels;
  if (request.level == "all") {
    for (const AuditLevel& level : audit::all_audit_levels())
      if (request.order.empty() ||
          level.is_strict == (request.order == "realtime"))
        levels.push_back(level);
    return levels;
  }
  const std::string names =
      request.level.empty() ? header.level : request.level;
  if (names.empty())
    return wrong_call("the log does not say at which level it ran",
                      "say --level serializable, or another, or all");
  for (const std::string& name : level_names(names)) {
    auto named = audit::parse_audit_levels(name, request.order);
    if (!named) {
      Error error = named.error();
      if (request.level.empty()) error.hint += "; the log claims this level";
      return error;
    }
    levels.insert(levels.end(), named->begin(), named->end());
  }
  return levels;
}

Promise promise(const audit::AuditLevel& level,
                Outcome answer = Outcome::Undecided) {
  return {level.name, level.is_strict ? "realtime" : "session", known(answer)};
}

std::vector<Promise> questions(const std::vector<audit::AuditLevel>& levels) {
  std::vector<Promise> all;
  for (const audit::AuditLevel& level : levels) all.push_back(promise(level));
  return all;
}

std::vector<Finding> findings_of(const std::string& input,
                                 const audit::AuditReport& report) {
  std::vector<Finding> all;
  for (const audit::AuditResult& result : report.results) {
    Finding finding;
    finding.input = input;
    finding.level = result.level.name;
    finding.order = result.level.is_strict ? "realtime" : "session";
    finding.about = About::Level;
    finding.outcome = result.found.answer;
    finding.why = result.found.first_bad ? result.found.first_bad->why
                                         : result.found.reason;
    if (result.found.first_bad)
      finding.where = {input, result.found.first_bad->line, 0, std::nullopt};
    all.push_back(std::move(finding));
  }
  return all;
}

/// What is in a log, counted while it is read.
struct LogCounts {
  std::uint64_t transactions = 0;
  std::uint64_t committed = 0;
  std::uint64_t unknown = 0;
  std::uint64_t statements = 0;
  std::uint64_t judged = 0;    ///< committed, or aborted if that counts
  std::uint64_t observed = 0;  ///< of these: rows or a count
  bool judges_aborted = false;
  std::set<std::string> sessions;

  void add(const sql::LogTransaction& transaction) {
    ++transactions;
    sessions.insert(transaction.session);
    statements += transaction.statements.size();
    const bool is_committed = transaction.status == sql::LogStatus::Committed;
    committed += is_committed ? 1 : 0;
    unknown += transaction.status == sql::LogStatus::Unknown ? 1 : 0;
    if (!is_committed &&
        !(judges_aborted && transaction.status == sql::LogStatus::Aborted))
      return;
    ++judged;
    for (const sql::LogStatement& statement : transaction.statements)
      if (statement.rows || statement.count) ++observed;
  }

  [[nodiscard]] std::string why_nothing() const {
    if (transactions == 0) return "the log has no transactions";
    if (judged == 0)
      return unknown > 0 ? "nothing is known to have committed"
                         : "nothing committed";
    if (observed == 0)
      return std::string(judges_aborted ? "nobody" : "nothing that committed") +
             " was shown a row or a number of rows";
    return "";
  }
};

/// The log, and who counts what is in it.
audit::LogInput counting(const audit::LogInput& log, LogCounts& counts) {
  audit::LogInput input = log;
  input.next = [&counts, next = log.next] {
    auto transaction = next();
    if (transaction && *transaction) counts.add(**transaction);
    return transaction;
  };
  input.again = [&counts, again = log.again] {
    const bool judges_aborted = counts.judges_aborted;
    counts = {};
    counts.judges_aborted = judges_aborted;
    return again();
  };
  return input;
}

/// What holds of a part of the statements only says so.
void mark_partial(const audit::AuditReport& found, Report& report) {
  if (found.not_judged == 0) return;
  for (Finding& finding : report.findings)
    if (finding.outcome == Outcome::Holds)
      finding.partial_because = std::to_string(found.not_judged) + " of " +
                                std::to_string(found.statements) +
                                " statements were not judged";
}

void fill_checked(const audit::AuditReport& found, const LogCounts& counts,
                  Report& report) {
  Checked& checked = report.checked;
  checked.rules = report.findings.size();
  checked.sessions = counts.sessions.size();
  checked.transactions = counts.transactions;
  checked.committed = counts.committed;
  checked.statements = found.statements;
  checked.skipped = found.skipped;
  if (found.skipped > 0) {
    checked.skipped_because.emplace_back("not supported");
    checked.partly.push_back(std::to_string(found.skipped) + " of " +
                             std::to_string(counts.statements) +
                             " statements were left out");
  }
  if (found.not_judged > found.skipped)
    checked.partly.push_back(std::to_string(found.not_judged - found.skipped) +
                             " statements look at what these may have written");
  if (found.is_cut) checked.partly.emplace_back("the last line is cut");
  const std::string nothing = counts.why_nothing();
  mark_all_vacuous(nothing, report);
  if (nothing.empty() && found.judged == 0 && found.skipped == 0)
    mark_all_vacuous("nothing that was shown is of the database's tables",
                     report);
}

bool all_hold(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings)
    if (finding.outcome != Outcome::Holds) return false;
  return true;
}

/// Writes the state of a log that grows from time to time.
class StateKeeper {
 public:
  explicit StateKeeper(const AuditRequest& request)
      : path_(request.state),
        least_(request.state_every),
        every_(request.state_every) {}

  [[nodiscard]] bool is_due() const { return Clock::now() - last_ >= every_; }
  Result<Done> keep(const audit::SavedState& state) {
    const auto began = Clock::now();
    auto written = write_state(path_, state);
    last_ = Clock::now();
    // A large state may take a twentieth of the time, and no more.
    every_ = std::max<Clock::duration>(least_, 20 * (last_ - began));
    return written;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_;
  Clock::duration least_;
  Clock::duration every_;
  Clock::time_point last_ = Clock::now();
};

audit::AuditOptions options_of(const AuditRequest& request) {
  audit::AuditOptions asked;
  asked.judge_aborted = request.judge_aborted;
  asked.skip_unsupported = request.skip_unsupported;
  asked.own_levels = request.level.empty();
  asked.evidence = request.evidence;
  asked.certify = request.certify;
  asked.search_steps = request.search_steps;
  asked.on_verdict = [&request](const audit::AuditResult& result) {
    request.listener.decided(promise(result.level, result.found.answer));
  };
  // Of a log that grows somebody waits for what goes wrong.
  if (request.is_over && request.on_notice)
    asked.on_stuck = [&request](const std::string& level,
                                const audit::FirstBad& bad) {
      request.on_notice(request.input + ":" + std::to_string(bad.line) +
                        ": transaction " + bad.transaction +
                        " does not fit at " + level +
                        "; the whole log is looked at now");
    };
  return asked;
}

Result<Done> refusal(const AuditRequest& request) {
  if (request.input == "-")
    return wrong_call("a log cannot be read from standard input",
                      "audit may have to read it twice");
  if (!request.state.empty() && (request.certify || request.evidence))
    return wrong_call(
        "--state keeps no order, so nothing can be certified or shown",
        "leave out --state, or --certify and --evidence");
  if (!request.state.empty() && request.has_exact_times)
    return wrong_call("--times exact looks at the whole log, and has no state",
                      "leave out --state, or --times");
  return Done{};
}

}  // namespace

Result<Report> audit(const AuditRequest& request, const Budget& budget) {
  if (auto ok = refusal(request); !ok) return ok.error();
  auto opened = request.is_over
                    ? OpenLog::follow(request.input, request.is_over)
                    : OpenLog::open(request.input);
  if (!opened) return opened.error();
  OpenLog& log = **opened;
  auto levels = audit_levels(request, log.header());
  if (!levels) return levels.error();
  request.listener.questions(questions(*levels));
  for (AuditLevel& level : *levels) level.is_exact = request.has_exact_times;
  audit::AuditOptions asked = options_of(request);
  std::optional<audit::SavedState> from;
  audit::SavedState to;
  if (!request.state.empty()) {
    auto read = read_state(request.state, log.input().setup->schema);
    if (!read) return read.error();
    from = std::move(*read);
    if (from) asked.from = &*from;
    asked.to = &to;
  }
  StateKeeper keeper(request);
  if (!request.state.empty() && request.is_over) {
    asked.wants_state = [&keeper] { return keeper.is_due(); };
    asked.keep_state = [&keeper](const audit::SavedState& state) {
      return keeper.keep(state);
    };
  }
  const auto began = std::chrono::steady_clock::now();
  LogCounts counts;
  counts.judges_aborted = request.judge_aborted;
  auto found =
      audit::audit(counting(log.input(), counts), *levels, asked, budget);
  const bool is_whole = !request.is_over && request.state.empty();
  if (is_whole && log.has_met_definition()) {
    auto moved = log.move_definitions();
    if (!moved) return moved.error();
    if (*moved) {
      counts = {};
      counts.judges_aborted = request.judge_aborted;
      found =
          audit::audit(counting(log.input(), counts), *levels, asked, budget);
    }
  }
  if (!found) return found.error();
  found->is_cut = log.is_cut();
  Report report;
  report.verb = "audit";
  report.inputs = {request.input};
  report.findings = findings_of(request.input, *found);
  mark_partial(*found, report);
  // From a saved state only what is new is read.
  if (!from) fill_checked(*found, counts, report);
  // A level that one pass did not explain has no state to go on from; and from
  // nothing that was checked nobody goes on.
  if (!request.state.empty() && all_hold(report.findings) &&
      !report.checked.is_vacuous() && to.levels.size() == levels->size())
    if (auto ok = write_state(request.state, to); !ok) return ok.error();
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - began;
  conclude(report, AuditDetail{std::move(*found), log.header(), took.count(),
                               request.evidence});
  return report;
}

}  // namespace txscope::verb
