#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/level.h"

namespace txscope::report::dictionary {

enum class Kind : std::uint8_t {
  Level,
  Order,
  Anomaly,
  Term,   ///< a word of the definitions: so, wr, co, ...
  Other,  ///< a level that people name and txscope does not decide
};

/// What a word means, with a tiny history that shows it.
struct Entry {
  Kind kind = Kind::Level;
  std::string_view name = {};     ///< as reports print it: "G2-item"
  std::string_view summary = {};  ///< one line, without a full stop
  std::string_view text = {};  ///< a few sentences, to be wrapped by the caller
  /// What others call it: one line per tradition or product; may be empty.
  std::string_view elsewhere = {};
  std::string_view practice = {};  ///< what to do about it; may be empty
  std::string_view example =
      {};  ///< a history in txscope's own format, or empty
  /// The weakest levels that forbid the example.  Every level that implies one
  /// of them forbids it, every other one allows it.
  std::vector<Level> forbidden_by = {};
  /// Other names, in the form of canonical().
  std::vector<std::string_view> aliases = {};
};

/// Lower case, with `-` for blanks and `_`.
[[nodiscard]] std::string canonical(std::string_view name);

/// The entry of that name or alias, in any spelling that canonical() brings
/// together; nullptr if there is none.  A suffix -session, -process or
/// -realtime of an anomaly and a prefix strong-, strict- or strong-session- of
/// a level do not count; find_order() has what they mean.  Nor does what a
/// report puts in brackets behind a name.
[[nodiscard]] const Entry* find(std::string_view name);
/// The order that such a prefix or suffix of a name stands for, or nullptr.
[[nodiscard]] const Entry* find_order(std::string_view name);

/// Names like an unknown one, the most similar first; at most three.
[[nodiscard]] std::vector<std::string_view> suggest(std::string_view name);

/// All entries: levels from weak to strong, orders, anomalies, terms, others.
[[nodiscard]] std::span<const Entry> all();

}  // namespace txscope::report::dictionary
