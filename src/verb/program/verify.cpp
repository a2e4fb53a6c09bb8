#include "txscope/verify.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "read/sql/sql.h"
#include "report/page/wrap.h"
#include "verb/answer/evidence.h"
#include "verb/answer/vacuity.h"
#include "verb/input/levels.h"
#include "verb/input/program_file.h"
#include "verb/input/wrong_call.h"
#include "verify/inductive.h"
#include "verify/sql/verify_sql.h"
#include "verify/sql/with_inputs.h"
#include "verify/verify.h"

namespace txscope::verb {
namespace {

std::vector<Finding> findings_of(const std::string& input,
                                 const verify::VerifyResult& result) {
  std::vector<Finding> all;
  for (const verify::VerifyRow& row : result.rows) {
    Finding finding;
    finding.input = input;
    finding.level = row.level;
    finding.order = "session";
    finding.property = row.property;
    finding.outcome = row.verdict;
    finding.why = row.why;
    if (row.is_vacuous)
      finding.vacuous_because = "no execution satisfies the assumptions";
    all.push_back(std::move(finding));
  }
  return all;
}

void fill_checked(const verify::VerifyResult& result, Report& report) {
  std::set<std::string> rules;
  bool is_vacuous = !report.findings.empty();
  for (const Finding& finding : report.findings) {
    rules.insert(finding.property);
    is_vacuous = is_vacuous && !finding.vacuous_because.empty();
  }
  report.checked.rules = rules.size();
  report.checked.sessions = result.bounds.sessions;
  report.checked.transactions = result.bounds.transactions;
  if (is_vacuous)
    report.checked.vacuous_because = report.findings.front().vacuous_because;
}

/// What a solver saw of all inputs, said of rules that hold.
std::string why_idle(const verify::VerifyResult& result) {
  if (!result.activity || !result.activity->is_known) return "";
  const verify::Activity& seen = *result.activity;
  if (seen.never_commit.size() == seen.transactions)
    return "no transaction ever commits, whatever the inputs";
  const bool is_about_rows = std::all_of(
      result.rows.begin(), result.rows.end(), [](const verify::VerifyRow& row) {
        return row.kind == "invariant" || row.kind == "errors";
      });
  if (is_about_rows && !seen.changes_rows)
    return "no transaction ever changes a row, whatever the inputs";
  return "";
}

/// Of open inputs; of given ones executions were looked at.
void say_parts(const verify::VerifyResult& result, Report& report) {
  if (!report.checked.partly.empty()) return;

  if (!result.activity || !result.activity->is_known) return;
  const auto& never = result.activity->never_commit;
  if (!never.empty() && never.size() < result.activity->transactions)
    report.checked.partly.push_back(
        report::joined(never, ", ") +
        (never.size() == 1 ? " never commits" : " never commit"));
}

/// What answers that hold rest on.
struct Ground {
  std::string nothing;  ///< why they say nothing; empty: they say something
  std::vector<std::string> parts;  ///< that were not put to the test
};

void look_at(const Workload& workload, const Observation& seen,
             Ground& ground) {
  ground.nothing = why_idle(workload, seen);
  if (ground.nothing.empty()) ground.parts = unchecked_parts(workload, seen);
}

/// Every rule at every level.
void ask(const VerifyRequest& request, const verify::VerifyOptions& how,
         const std::vector<std::string>& rules) {
  std::vector<Promise> all;
  const auto add = [&](const std::string& level) {
    for (const std::string& rule : rules)
      all.push_back({level, "session", Promise::Known::Nothing, "", rule});
  };
  for (const Base base : how.levels) add(std::string(name(base)));
  for (const Profile* profile : how.profiles) add(std::string(profile->name));
  request.listener.questions(all);
}

template <class Properties>
std::vector<std::string> names_of(const Properties& properties) {
  std::vector<std::string> names;
  for (const auto& property : properties) names.push_back(property.name);
  return names;
}

Result<verify::VerifyResult> verify_txn_text(const VerifyRequest& request,
                                             std::string text,
                                             const verify::VerifyOptions& how,
                                             const Budget& budget,
                                             Ground& ground) {
  if (!how.profiles.empty()) {
    return wrong_call("'" + std::string(how.profiles.front()->name) +
                          "' is a product's level, and " + request.input +
                          " is not a SQL application",
                      promise_hint(std::string(how.profiles.front()->name)));
  }
  const auto program = read_program(request.input, std::move(text));
  if (!program) return program.error();
  for (const Property& property : program->properties) {
    if (property.kind != PropertyKind::Exists) continue;
    return Error{
        program->place(property.at),
        "verify decides rules for all executions, not what exists",
        "txscope explore " + request.input + " looks for such an execution",
        std::string(program->line(property.at))};
  }
  if (program->properties.empty()) ground.nothing = "the file has no rule";
  std::vector<std::string> rules = names_of(program->properties);
  rules.emplace_back("errors");
  ask(request, how, rules);
  auto result = request.inductive
                    ? verify::verify(verify::inductive(*program), how, budget)
                    : verify::verify(*program, how, budget);
  if (!result || !ground.nothing.empty() || !verify::all_hold(result->rows))
    return result;
  if (request.inductive || program->arbitrary)
    ground.nothing = why_idle(*result);
  else if (!how.levels.empty())
    look_at(workload_of(*program),
            observe(*program, how.levels.front(), request.loop_bound, budget),
            ground);
  return result;
}

Result<verify::VerifyResult> verify_sql_text(const VerifyRequest& request,
                                             std::string text,
                                             const verify::VerifyOptions& how,
                                             const Budget& budget,
                                             Ground& ground) {
  const auto application = sql::read_open_sql(request.input, std::move(text));
  if (!application) return application.error();
  if (application->properties.empty()) {
    return Error{{request.input, 1, 1, std::nullopt},
                 "the file has no rule that could break",
                 "say what must hold, as in --@ invariant covered: (SELECT "
                 "min(balance) FROM accounts) >= 0",
                 {}};
  }
  ask(request, how, names_of(application->properties));
  auto result =
      request.inductive
          ? verify::verify_sql(verify::inductive(*application), how, budget)
          : verify_sql(*application, how, budget);
  if (!result || !verify::all_hold(result->rows)) return result;
  if (request.inductive || verify::has_open_inputs(*application)) {
    ground.nothing = why_idle(*result);
    const auto moved = moved_rules(*application);
    if (ground.nothing.empty() &&
        std::find(moved.begin(), moved.end(), true) == moved.end())
      ground.nothing = "no transaction changes what the rules look at";
  } else {
    const Profile* profile =
        how.profiles.empty() ? &txscope::profile_of(Product::PostgreSql,
                                                    Isolation::ReadCommitted)
                             : how.profiles.front();
    look_at(sql::workload_of(*application),
            observe(*application, *profile, request.loop_bound, budget),
            ground);
  }
  return result;
}

Result<verify::VerifyOptions> options_of(const VerifyRequest& request) {
  const auto levels = asked_levels(request.level, false);
  if (!levels) return levels.error();
  verify::VerifyOptions how;
  how.levels = levels->theory;
  how.profiles = levels->profiles;
  how.loop_bound = request.loop_bound;
  how.keeps_evidence = request.evidence;
  how.on_verdict = [&request](const verify::VerifyRow& row) {
    request.listener.decided(
        {row.level, "session", known(row.verdict), "", row.property});
  };
  how.jobs =
      static_cast<unsigned>(std::clamp<std::uint64_t>(request.jobs, 1, 256));
  if (request.integers == "unbounded") {
    how.is_unbounded = true;
  } else if (!request.integers.empty() && request.integers != "bounded") {
    return wrong_call("there are no integers '" + request.integers + "'",
                      "bounded or unbounded");
  }
  if (request.levels_needed.empty()) return how;
  const auto others = theory_levels(request.levels_needed);
  if (!others) return others.error();
  if (others->size() != 1)
    return wrong_call("--levels-needed takes one level",
                      "as in --levels-needed snapshot-isolation");
  how.levels_needed = others->front();
  return how;
}

}  // namespace

Result<Report> verify(const VerifyRequest& request, const Budget& budget) {
  auto text = program_text(request);
  if (!text) return text.error();
  const auto how = options_of(request);
  if (!how) return how.error();
  Ground ground;
  auto result =
      is_sql(request.input, *text)
          ? verify_sql_text(request, std::move(*text), *how, budget, ground)
          : verify_txn_text(request, std::move(*text), *how, budget, ground);
  if (!result) return result.error();
  result->is_unbounded = how->is_unbounded;
  Report report;
  report.verb = "verify";
  report.inputs = {request.input};
  report.findings = findings_of(request.input, *result);
  fill_checked(*result, report);
  mark_all_vacuous(ground.nothing, report);
  report.checked.partly = std::move(ground.parts);
  if (ground.nothing.empty()) say_parts(*result, report);
  conclude(report, VerifyDetail{std::move(*result), request.loop_bound,
                                request.inductive});
  return report;
}

}  // namespace txscope::verb
