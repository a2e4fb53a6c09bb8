#include "txscope/convert.h"

#include "cli/guard.h"
#include "cli/history_output.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_convert(const Options& options) {
  end_at_once_on_signals();
  verb::ConvertRequest request;
  request.input = options.input;
  request.input_format = options.input_format;
  request.judge_aborted = options.judge_aborted;
  request.initial = options.initial;
  request.to = options.to;
  request.file = options.outputs.front().file;
  return write_histories(options, [&](TextSink sink) {
    request.write = std::move(sink);
    return verb::convert(request, Budget::unlimited());
  });
}

}  // namespace txscope::cli
