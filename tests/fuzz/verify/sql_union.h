#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/level.h"

// Applications in SQL whose calls have one argument each, and what explore says
// about them for given arguments: verify must say the same.
namespace txscope::test {

[[nodiscard]] std::string one_of(Random& random,
                                 std::initializer_list<const char*> all);

struct Application {
  std::string before;
  std::vector<std::string> calls;  // "CALL p0(@);"
  std::string after;

  [[nodiscard]] std::string text(
      const std::vector<std::string>& arguments) const {
    std::string out = before;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      std::string call = calls[i];
      call.replace(call.find('@'), 1, arguments[i]);
      out += "--@ session s" + std::to_string(i) + ": " + call + "\n";
    }
    return out + after;
  }
};

struct EnumeratedSql {
  std::map<Base, bool> is_violated;
  std::map<Base, bool> has_history;
};

/// Adds what explore finds at every level.
void add_explored_sql(const std::string& text, EnumeratedSql& all);

/// Fails the test where verify says anything else.
void compare_verified_sql(const std::string& text, const EnumeratedSql& all);

/// Verify with `?` is the union of explore over the values, for both calls.
void expect_union(const Application& application,
                  const std::vector<std::string>& values,
                  const std::string& assumptions);

}  // namespace txscope::test
