#pragma once

#include <optional>
#include <vector>

#include "repair/update_text.h"

namespace txscope::repair {

/// SELECT columns INTO variables of one row.
struct Read {
  const sql::PlStatement* at = nullptr;
  const sql::PlExecute* execute = nullptr;
  std::vector<Token> words;
  QueryText query;
  std::vector<Piece> targets;  ///< one per variable
};

/// What decides whether the UPDATE runs: it is inside, or follows an IF that
/// leaves.
struct Guard {
  const sql::PlStatement* at = nullptr;
  bool is_around = false;
};

/// A read, the UPDATE of the same row, and what stands between them.
struct ReadThenWrite {
  Read read;
  const sql::PlStatement* update = nullptr;
  std::optional<Guard> guard;
  std::vector<const sql::PlStatement*> between;
};

/// All of a routine: of each read the first UPDATE behind it, if nothing leaves
/// or commits between them.
[[nodiscard]] std::vector<ReadThenWrite> reads_then_writes(
    const Problem& problem, const sql::Routine& routine);

}  // namespace txscope::repair
