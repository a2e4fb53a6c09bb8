#include "txscope/convert.h"

#include <utility>

#include "audit/attempt/load.h"
#include "audit/rows/row_history.h"
#include "verb/input/history_input.h"
#include "verb/input/history_output.h"
#include "verb/input/log_input.h"

namespace txscope::verb {
namespace {

/// What a log of SQL says of single rows, where what was seen tells versions
/// apart.
Result<History> rows_of_log(const ConvertRequest& request,
                            const Budget& budget) {
  auto log = OpenLog::open(request.input);
  if (!log) return log.error();
  auto initial = audit::run_setup((*log)->input(), budget);
  if (!initial) return initial.error();
  audit::AuditOptions asked;
  asked.judge_aborted = request.judge_aborted;
  auto loaded =
      audit::LoadedLog::load((*log)->input(), asked, std::move(*initial));
  if (!loaded) return loaded.error();
  return audit::RowHistory(**loaded, audit::Rule::ReadCommitted)
      .history(request.input);
}

Result<Done> convert_to(const HistorySink& sink, const ConvertRequest& request,
                        const Budget& budget, Report& report) {
  if (!request.text && is_log(request.input)) {
    auto history = rows_of_log(request, budget);
    if (!history) return history.error();
    return write_history(sink, std::move(*history), report);
  }
  const HistoryInput how{request.input_format, request.judge_aborted, false,
                         request.initial};
  auto source = open_input(how, request.input, request.text);
  if (!source) return source.error();
  return write_histories(
      sink, [&] { return (*source)->next(); }, report);
}

}  // namespace

Result<Report> convert(const ConvertRequest& request, const Budget& budget) {
  Report report;
  report.verb = "convert";
  report.inputs = {request.input};
  const HistorySink sink{request.to, request.file, request.write};
  if (auto ok = convert_to(sink, request, budget, report); !ok)
    return ok.error();
  return report;
}

}  // namespace txscope::verb
