#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "read/histories/history_source.h"
#include "support/litmus.h"

namespace txscope {

inline std::string shown_error(const Error& error) {
  return to_string(error.where) + ": " + error.what;
}

/// All histories of a source in litmus notation, "--" between them, or the
/// error that came first.
inline std::string litmus_of(
    Result<std::unique_ptr<read::HistorySource>> source) {
  if (!source) return shown_error(source.error());
  std::string text;
  for (bool is_first = true;; is_first = false) {
    auto history = (*source)->next();
    if (!history) return shown_error(history.error());
    if (!*history) return text;
    if (!is_first) text += "--\n";
    text += to_litmus(**history);
  }
}

/// The same for a text whose format is told by its content.
inline std::string litmus_of(std::string text, read::ReadOptions options = {}) {
  return litmus_of(read::open_history_text("h", std::move(text), options));
}

/// Expects that a text is refused where it has its @ (which is taken out).
inline void expect_mistake(read::Format format, const std::string& marked,
                           const std::string& message) {
  const std::size_t mark = marked.find('@');
  ASSERT_NE(mark, std::string::npos) << marked;
  const std::string before = marked.substr(0, mark);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  EXPECT_EQ(litmus_of(before + marked.substr(mark + 1), {format, false}),
            "h:" + std::to_string(line) + ":" +
                std::to_string(mark - line_start + 1) + ": " + message)
      << marked;
}

}  // namespace txscope
