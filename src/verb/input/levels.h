#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/level.h"
#include "model/product/profile.h"

namespace txscope::verb {

/// The levels that `--level` and `--order` name, weakest first and once each.
/// An empty or `all` level means all bases; a product's level what it promises,
/// with a note.  A level whose name fixes the order (strict-serializable)
/// contradicts a different --order.
[[nodiscard]] Result<std::vector<Level>> parse_levels(
    const std::string& names, const std::string& order,
    std::vector<std::string>& notes);

/// True if the call leaves it to txscope how far to go up: then a history with
/// times is judged at strict snapshot isolation and serializability, too.
[[nodiscard]] bool is_whole_ladder(const std::string& names,
                                   const std::string& order);

/// The levels that `explore` can run a program at, weakest first; nothing or
/// `all` means all of them.
[[nodiscard]] Result<std::vector<Base>> theory_levels(const std::string& names);

/// Levels of theory and of engines, each from weak to strong.
struct AskedLevels {
  std::vector<Base> theory;
  std::vector<const Profile*> profiles;
  std::vector<std::string> notes;  ///< on what the names were taken for
  /// Asked about by that name: what only MariaDB has is not offered.
  bool is_mysql = false;

  [[nodiscard]] bool offers(const Profile& profile) const {
    return !is_mysql || profile.isolation != Isolation::RepeatableReadSnapshot;
  }
};

/// "postgresql" names all levels of that product; `all` those of all products
/// only if `all_has_engines`.  Nothing means all of theory.
[[nodiscard]] Result<AskedLevels> asked_levels(const std::string& names,
                                               bool all_has_engines);

/// What to say instead of a product's level where there is only theory:
/// "postgresql:repeatable-read promises snapshot-isolation".
[[nodiscard]] std::string promise_hint(const std::string& profile);

/// What stands between the commas.
[[nodiscard]] std::vector<std::string> level_names(const std::string& names);

}  // namespace txscope::verb
