#pragma once

#include <optional>

#include "base/budget.h"
#include "check/facts/facts.h"
#include "check/weak/order.h"
#include "model/evidence.h"
#include "model/history.h"

namespace txscope::check {

/// A run of the history on a database in memory, for histories of registers in
/// which values repeat: nobody knows who wrote what was read, but most
/// histories come from databases that work.
///
/// Method.  Each session offers its next transaction.  One can run if all its
/// reads see what the keys hold now; with `by_snapshots` (snapshot isolation)
/// if they all did at some moment since its predecessor committed, and nobody
/// has written since what it writes.  Of those that can run, one that
/// overwrites nothing that others still want to read goes first; what another
/// session's next access of the key reads is wanted, and what is read again
/// but never written again must not be overwritten at all.  At a dead end some
/// transaction waits for a value that is gone: the run goes back to where that
/// was overwritten, and remembers who has to go first.
///
/// Answer.  A commit order with the writers of all open reads: evidence that
/// the history is serializable (or has snapshot isolation), with session order
/// and, if `order` is realtime, that.  Nothing if the guesses were wrong too
/// often: that says nothing about the history.
[[nodiscard]] std::optional<CommitOrder> find_serial_run(
    const History& history, const Facts& facts, const OrderIndex& order,
    bool by_snapshots, const Budget& budget);

}  // namespace txscope::check
