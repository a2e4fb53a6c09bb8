#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/diagnostics.h"
#include "cli/levels.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "cli/verbs.h"
#include "read/sql/sql.h"
#include "report/verify_report.h"
#include "verify/inductive.h"
#include "verify/sql/verify_sql.h"
#include "verify/verify.h"

namespace txscope::cli {
namespace {

int verify_status(const VerifyResult& result) {
  bool is_open = false;
  for (const VerifyRow& row : result.rows) {
    if (row.verdict == VerifyVerdict::Violated) return kViolated;
    is_open |= row.verdict != VerifyVerdict::Holds;
  }
  return is_open ? kUndecided : kHolds;
}

Result<Done> write_verify_reports(const Options& options,
                                  const VerifyReport& report) {
  for (const Output& output : options.outputs) {
    std::string text;
    if (output.format == "json") {
      text = json_report("verify", options.input, verify_json(report),
                         seconds_since_start());
    } else if (output.format == "dot") {
      text = verify_dot(report);
    } else {
      text = verify_text(report);
    }
    if (auto ok = write_output(output, text); !ok) return ok.error();
  }
  return Done{};
}

Result<VerifyResult> run_txn(const Options& options, std::string text,
                             const VerifyOptions& how, const Budget& budget) {
  if (!how.profiles.empty()) {
    return wrong_call("'" + std::string(how.profiles.front()->name) +
                          "' is a level of an engine, and " + options.input +
                          " is no application in SQL",
                      "name a level such as snapshot-isolation");
  }
  const auto program = read_program(options.input, std::move(text));
  if (!program) return program.error();
  for (const Property& property : program->properties) {
    if (property.kind != PropertyKind::Exists) continue;
    return Error{program->place(property.at),
                 "verify decides rules for all executions, not what exists",
                 "txscope explore " + options.input +
                     " looks for such an execution",
                 std::string(program->line(property.at))};
  }
  if (!options.inductive) return verify(*program, how, budget);
  return verify(inductive(*program), how, budget);
}

Result<VerifyResult> run_sql(const Options& options, std::string text,
                             const VerifyOptions& how, const Budget& budget) {
  const auto application = read_open_sql(options.input, std::move(text));
  if (!application) return application.error();
  if (application->properties.empty()) {
    return Error{{options.input, 1, 1, std::nullopt},
                 "the file has no rule that could break",
                 "say what must hold, as in --@ invariant covered: (SELECT "
                 "min(balance) FROM accounts) >= 0",
                 {}};
  }
  if (!options.inductive) return verify_sql(*application, how, budget);
  return verify_sql(inductive(*application), how, budget);
}

}  // namespace

int run_verify(const Options& options) {
  auto text = read_text(options.input);
  if (!text) return report_error(text.error());
  const auto levels = asked_levels(options.level, false);
  if (!levels) return report_error(levels.error());
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  VerifyOptions how;
  how.levels = levels->theory;
  how.profiles = levels->profiles;
  how.loop_bound = options.loop_bound;
  how.keeps_evidence = options.evidence;
  how.jobs =
      static_cast<unsigned>(std::clamp<std::uint64_t>(options.jobs, 1, 256));
  if (options.integers == "unbounded") {
    how.is_unbounded = true;
  } else if (!options.integers.empty() && options.integers != "bounded") {
    return report_error(
        wrong_call("there are no integers '" + options.integers + "'",
                   "bounded or unbounded"));
  }
  if (!options.levels_needed.empty()) {
    const auto others = theory_levels(options.levels_needed);
    if (!others) return report_error(others.error());
    if (others->size() != 1) {
      return report_error(
          wrong_call("--levels-needed takes one level",
                     "as in --levels-needed snapshot-isolation"));
    }
    how.levels_needed = others->front();
  }
  const Budget budget(*allowed);
  auto result = is_sql(options.input, *text)
                    ? run_sql(options, std::move(*text), how, budget)
                    : run_txn(options, std::move(*text), how, budget);
  if (!result) return report_error(result.error());
  result->is_unbounded = how.is_unbounded;
  const VerifyReport report{options.input, &*result, options.loop_bound,
                            options.inductive};
  if (auto ok = write_verify_reports(options, report); !ok) {
    return report_error(ok.error());
  }
  return verify_status(*result);
}

}  // namespace txscope::cli
