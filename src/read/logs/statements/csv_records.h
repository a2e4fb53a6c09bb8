#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "read/input.h"

namespace txscope::logs {

/// How a file separates and quotes its fields.
struct CsvStyle {
  char separator = ',';
  char quote = '"';            ///< 0: nothing is quoted
  bool has_backslash = false;  ///< \n, \t, \" and \\ mean what they mean in C
};

/// Records of a CSV file; a quoted field may go over several lines.
class CsvRecords {
 public:
  CsvRecords(read::Input& input, CsvStyle style)
      : input_(input), style_(style) {}

  /// False at the end.  A record whose quote never ends is the last: is_cut().
  bool next(std::vector<std::string>& fields);
  /// Where the record begins.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  read::Input& input_;
  CsvStyle style_;
  std::uint64_t line_ = 0;
  bool is_cut_ = false;
};

}  // namespace txscope::logs
