#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

namespace txscope::logs {

/// Which ids a log has used so far.  Ids that end in numbers which count up, as
/// recorders write them ("3-1", "3-2"), take no room: they are ranges.
class SeenIds {
 public:
  /// False: it was there.
  bool add(std::string_view id);

 private:
  using Number = std::uint64_t;
  /// From its first number to behind its last one.
  using Ranges = std::map<Number, Number>;
  static bool add_number(Ranges& ranges, Number number);

  std::map<std::string, Ranges, std::less<>> numbered_;  ///< by what is before
  std::unordered_set<std::uint64_t> others_;             ///< hashes
};

}  // namespace txscope::logs
