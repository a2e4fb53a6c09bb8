#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace txscope {

/// What "behaves as if serializable" means.  A program is robust against a
/// level iff every execution of the level (a complete history with a commit
/// order that shows the level) ...
enum class Notion : std::uint8_t {
  Trace,    ///< ... has an acyclic dependency graph (so, wr, ww, rw)
  View,     ///< ... has the reads-from and the last writers of a serial one
  History,  ///< ... has the reads-from of a serial one
  Outcome,  ///< ... shows the values of a serial one: reads, ends, final state
  State,    ///< ... ends in a state in which a serial one ends
};
// Trace implies view, view implies history and outcome, outcome implies state.

inline constexpr std::array kNotions = {Notion::Trace, Notion::View,
                                        Notion::History, Notion::Outcome,
                                        Notion::State};

[[nodiscard]] std::string_view name(Notion notion);
[[nodiscard]] std::optional<Notion> parse_notion(std::string_view text);

}  // namespace txscope
