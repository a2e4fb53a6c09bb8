#include <optional>
#include <utility>

#include "audit/load.h"
#include "audit/row_history.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/history_input.h"
#include "cli/history_output.h"
#include "cli/log_input.h"
#include "cli/verbs.h"

namespace txscope::cli {
namespace {

/// What a log of SQL says of single rows, where what was seen tells versions
/// apart.
Result<History> rows_of_log(const Options& options) {
  auto log = OpenLog::open(options.input);
  if (!log) return log.error();
  const Budget budget = Budget::unlimited();
  auto initial = audit::run_setup((*log)->input(), budget);
  if (!initial) return initial.error();
  audit::AuditOptions asked;
  asked.judge_aborted = options.judge_aborted;
  auto loaded =
      audit::LoadedLog::load((*log)->input(), asked, std::move(*initial));
  if (!loaded) return loaded.error();
  return audit::RowHistory(**loaded, audit::Rule::ReadCommitted)
      .history(options.input);
}

int convert_log(const Options& options) {
  auto history = rows_of_log(options);
  if (!history) return report_error(history.error());
  std::optional<History> rest(std::move(*history));
  const auto ok =
      write_histories(options, [&]() -> Result<std::optional<History>> {
        return std::exchange(rest, std::nullopt);
      });
  return ok ? kHolds : report_error(ok.error());
}

}  // namespace

int run_convert(const Options& options) {
  end_at_once_on_signals();
  if (is_log(options.input)) return convert_log(options);
  auto source = open_input(options, options.input);
  if (!source) return report_error(source.error());
  const auto ok = write_histories(options, [&] { return (*source)->next(); });
  return ok ? kHolds : report_error(ok.error());
}

}  // namespace txscope::cli
