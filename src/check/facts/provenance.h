#pragma once

#include <optional>

#include "base/id.h"
#include "model/evidence.h"
#include "model/history.h"

// Who wrote what was read, for sentences about a few reads: each answer looks
// through the history once.  Checkers use Facts.
namespace txscope::check {

/// True if an external read returned what t wrote last (of a list: if t
/// appended the last element before the reader's own).
[[nodiscard]] bool may_read_from(const History& history, OpId read, TxnId t);

/// The one transaction that an external read may have read from; nothing if
/// there are several or none.
[[nodiscard]] std::optional<TxnId> only_writer(const History& history,
                                               OpId read);

/// An edge by which a precedes b at once: b read from a, a is earlier in the
/// session, or ended before b started.
[[nodiscard]] std::optional<Edge> direct_edge(const History& history, TxnId a,
                                              TxnId b);

/// The last operation by which t writes a key.
[[nodiscard]] std::optional<OpId> last_write(const History& history, TxnId t,
                                             KeyId key);

}  // namespace txscope::check
