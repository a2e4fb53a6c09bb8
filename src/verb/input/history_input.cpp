#include "verb/input/history_input.h"

#include "read/histories/start_values.h"

namespace txscope::verb {

Result<std::unique_ptr<read::HistorySource>> open_input(
    const HistoryInput& how, const std::string& input,
    const std::optional<std::string>& text, const Budget* budget) {
  read::ReadOptions read_options;
  read_options.budget = budget;
  read_options.judge_aborted = how.judge_aborted;
  read_options.reads_ahead = how.reads_ahead;
  if (!how.input_format.empty()) {
    const auto format = read::parse_format(how.input_format);
    if (!format) return format.error();
    read_options.format = *format;
  }
  auto initial = read::parse_start_values(how.initial);
  if (!initial) return initial.error();
  auto source = text ? read::open_history_text(input, *text, read_options)
                     : read::open_history(input, read_options);
  if (!source) return source;
  return read::starting_with(std::move(*source), std::move(*initial));
}

}  // namespace txscope::verb
