#include "cli/history_input.h"

namespace txscope::cli {

Result<std::unique_ptr<HistorySource>> open_input(const Options& options,
                                                  const std::string& input,
                                                  const Budget* budget) {
  ReadOptions read_options;
  read_options.budget = budget;
  read_options.judge_aborted = options.judge_aborted;
  read_options.reads_ahead = options.jobs > 1;
  if (!options.input_format.empty()) {
    const auto format = parse_format(options.input_format);
    if (!format) return format.error();
    read_options.format = *format;
  }
  return open_history(input, read_options);
}

}  // namespace txscope::cli
