#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope::sql {

/// What the file does to its tables before the sessions come and what turns
/// out, when the bodies of its routines are read, to be nothing that can be
/// run.  The file is then read again without it, and what it may have changed
/// cannot be used.
struct LeftOut {
  /// CALL, SELECT f() and DO, by where they stand.
  std::map<std::uint32_t, Error> calls;
  /// Tables whose rows set off a trigger that cannot run, by their keys.
  std::map<std::string, Error> tables;

  [[nodiscard]] bool empty() const { return calls.empty() && tables.empty(); }
  [[nodiscard]] std::size_t size() const {
    return calls.size() + tables.size();
  }
};

/// Whether a text has this word, in whatever sense and case.
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);

}  // namespace txscope::sql
