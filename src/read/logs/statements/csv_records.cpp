#include "read/logs/statements/csv_records.h"

namespace txscope::logs {

bool CsvRecords::next(std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool is_quoted = false;
  bool is_first_line = true;
  for (std::string_view line; input_.next_line(line); is_first_line = false) {
    if (is_first_line)
      line_ = input_.line();
    else
      fields.back() += '\n';
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '\\' && style_.has_backslash && i + 1 < line.size()) {
        const char next = line[++i];
        fields.back() += next == 'n' ? '\n' : next == 't' ? '\t' : next;
      } else if (style_.quote != 0 && c == style_.quote) {
        const bool is_doubled =
            is_quoted && i + 1 < line.size() && line[i + 1] == style_.quote;
        if (is_doubled)
          fields.back() += line[++i];
        else
          is_quoted = !is_quoted;
      } else if (c == style_.separator && !is_quoted) {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (!is_quoted) return true;
  }
  is_cut_ = is_quoted;
  return false;
}

}  // namespace txscope::logs
