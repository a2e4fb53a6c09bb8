#pragma once

// Small applications by chance: two or three scripts of statements that meet on
// the same rows in as many ways as can be thought of.

#include <random>
#include <string>
#include <vector>

namespace txscope::race {

struct RandomApplication {
  std::string schema;
  /// A request's statements, one per line; some belong together.
  std::vector<std::vector<std::string>> requests;

  /// A request as the text of a script.
  [[nodiscard]] std::string script(std::size_t request) const;
  [[nodiscard]] std::string shown() const;
};

/// For psql; `steps` is about how many a request has.
[[nodiscard]] RandomApplication random_on_postgresql(std::mt19937& random,
                                                     std::size_t requests,
                                                     std::size_t steps);
/// For MariaDB's client.
[[nodiscard]] RandomApplication random_on_mariadb(std::mt19937& random,
                                                  std::size_t requests,
                                                  std::size_t steps);

}  // namespace txscope::race
