#include <cstdio>
#include <exception>
#include <new>
#include <span>

#include "cli/diagnostics.h"
#include "cli/options.h"

int main(int argc, char** argv) {
  using namespace txscope;
  using namespace txscope::cli;
  try {
    const Result<Call> call = parse_call(std::span<const char* const>(
        argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)));
    if (!call) return report_error(call.error());
    if (call->verb == nullptr) {
      std::fputs(call->text.c_str(), stdout);
      return kHolds;
    }
    return call->verb->run(call->options);
  } catch (const std::bad_alloc&) {
    std::fputs("txscope: out of memory; no verdict\n", stderr);
    return kUndecided;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "txscope: internal error: %s\n", error.what());
    return kWrong;
  }
}
