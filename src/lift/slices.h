#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "lift/relevance.h"
#include "lift/runs.h"

namespace txscope::lift {

/// A step of a run, and in which of its transactions it stands.
struct FlatStep {
  RunStatement step;
  std::size_t transaction = 0;
};
using Flat = std::vector<FlatStep>;

/// The steps of a run that count for some tables.
[[nodiscard]] Flat flat_of(const Run& run, const Relevance& relevance,
                           const std::set<std::string>& tables);

/// All that a request does, shortened: the same read again with no write
/// between is one, reads behind the last write go, and of a repeated block
/// `rounds` stay if it writes, else one.  Whether a block was repeated.
bool shorten(Flat& flat, std::size_t rounds);

/// What a request does to one table, in the smallest pieces that can race:
/// a read and the next write, with the locks that their transactions hold by
/// then; a write alone, if nothing was read; and two writes of one transaction
/// to different rows, which can deadlock.  Rows that the request made itself
/// are left out.
[[nodiscard]] std::vector<Flat> pieces(const Flat& flat);

/// What single transactions lock, of those that lock all of the tables.
[[nodiscard]] std::vector<Flat> locks_of_transactions(
    const Flat& flat, const std::set<std::string>& tables);

[[nodiscard]] bool is_locking(const sql::StatementShape& shape);
/// The same for all that differ in literals only.
[[nodiscard]] std::string key_of(const Flat& flat);

}  // namespace txscope::lift
