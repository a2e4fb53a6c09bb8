#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "robust/counterexample.h"

namespace txscope::robust {

/// A change of the user's text: `text` goes in at `offset`.
struct Edit {
  std::size_t offset = 0;
  std::string text;
  std::string what;  ///< in words: "SELECT .. FOR UPDATE at line 12"
};

/// Changes that make the program robust; the changed program was asked again.
struct Repair {
  std::vector<Edit> edits;
  std::string diff;  ///< the lines before and after
};

/// A column of a table that is no key; empty if there is none.
using ColumnToSet = std::function<std::string(const std::string& table)>;

/// Changes worth trying for the reads of a counterexample: at an engine's
/// level SELECT .. FOR UPDATE; at a level of theory, where a lock is a plain
/// read, a write of the row that was read.
[[nodiscard]] std::vector<Edit> edits_for(const Counterexample& odd,
                                          const std::string& text, bool is_sql,
                                          bool is_engine,
                                          const ColumnToSet& column);
/// To run transactions of a counterexample at another level of the engine.
[[nodiscard]] std::vector<Edit> level_edits(const Counterexample& odd,
                                            const std::string& text,
                                            std::string_view level);

/// The smallest sets of edits after which `is_robust` says so: all single ones,
/// else all pairs, else triples.
[[nodiscard]] std::vector<Repair> find_repairs(
    const std::string& text, const std::vector<Edit>& edits,
    const std::function<bool(const std::string&)>& is_robust,
    const Budget& budget);

[[nodiscard]] std::string edited(const std::string& text,
                                 const std::vector<Edit>& edits);
/// The lines that differ, with their number, as `diff` shows them.
[[nodiscard]] std::string diff_of(const std::string& text,
                                  const std::vector<Edit>& edits);

}  // namespace txscope::robust
