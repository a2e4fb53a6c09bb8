#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <span>

#include "base/interrupt.h"
#include "cli/colour.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/wrap.h"

namespace {

using namespace txscope;
using namespace txscope::cli;

int run(const Call& call) {
  const auto allowed = limits(call.options);  // the verb says if it is wrong
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

int main(int argc, char** argv) {
  install_guards();
  // Longer lines are hard to read, shorter ones leave no room for schedules.
  if (const auto width = terminal_width())
    set_text_width(std::clamp<std::size_t>(*width, 60, 132));
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
