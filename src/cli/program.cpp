#include "cli/program.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string>

#include "base/interrupt.h"
#include "cli/colour.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/page/wrap.h"
#include "verb/program/baseline.h"

namespace txscope::cli {
namespace {

int run(const Call& call) {
  const auto allowed = limits(call.options);  // the verb says if it is wrong
  // Before hours are spent.  Lists of findings are for analyze to read.
  const std::string& baseline = call.options.baseline;
  const bool is_list =
      call.verb->name == "analyze" && verb::is_finding_list(baseline);
  if (!baseline.empty() && !is_list) {
    const auto known = verb::read_baseline(baseline);
    if (!known) return report_error(known.error());
  }
  const Watchdog watchdog(call, allowed ? *allowed : Budget::Limits{});
  try {
    return call.verb->run(call.options);
  } catch (const std::bad_alloc&) {
    return undecided_at_once(call, Spent::Memory);
  }
}

int run(std::span<const char* const> arguments) {
  expect_json_errors(asks_for_json(arguments));
  const Result<Call> call = parse_call(arguments);
  if (!call) return report_error(call.error());
  if (call->verb != nullptr) return run(*call);
  std::fputs(call->text.c_str(), stdout);
  return kHolds;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  install_guards();
  // Shorter lines leave no room for schedules; prose is never wider than what
  // can be read, lanes and tables use what there is.
  if (const auto width = terminal_width())
    report::set_text_width(std::clamp<std::size_t>(*width, 60, 200));
  try {
    int status = run(std::span<const char* const>(
        argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)));
    if (auto ok = finish_standard_output(); !ok)
      status = report_error(ok.error());
    return interrupted() != 0 ? 128 + interrupted() : status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "txscope: internal error: %s\n", error.what());
    return kWrong;
  }
}

}  // namespace txscope::cli
