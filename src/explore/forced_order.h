#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explore/ordered_history.h"
#include "model/level.h"

namespace txscope::explore {

/// The order that read-committed, monotonic-atomic-view, read-atomic and
/// causal force upon the transactions of a history.
///
/// Definition.  A read of x by t3 from t1 forces t2 -> t1 for every other
/// committed writer t2 of x in its premise: none, those that t3 read from
/// earlier, those in so + wr before t3, those in (so + wr)+ before t3
/// (docs/levels.md).  A history has the level iff so + wr + forced is acyclic.
///
/// Method.  `before[t]` is kept transitively closed.  A read is only ever added
/// to a transaction that nobody depends on, so it forces edges between others;
/// each is refused if the reverse is known and else closed over, in time linear
/// in the number of transactions.
template <std::size_t W>
class ForcedOrder {
 public:
  ForcedOrder(Base level, std::span<const Bits<W>> so_before)
      : level_(level), so_before_(so_before) {}

  /// A transaction just before one of its reads.
  struct Reader {
    std::size_t id = 0;
    std::span<const Logged<W>> log;  ///< its earlier events
    Bits<W> past;
    Bits<W> sources;
  };

  /// Lets `reader` read `key` from `source`.  False, with `before` spoilt, if
  /// that has a cycle.  `members` are the transactions of the history, the
  /// reader included; `writers(key)` its committed writers, init included.
  template <class Writers>
  bool add_read(std::vector<Bits<W>>& before,
                std::span<const std::uint16_t> members, const Reader& reader,
                KeyId key, std::size_t source, const Bits<W>& source_past,
                Writers&& writers) const {
    Bits<W>& own = before[reader.id];
    own |= before[source];
    own.set(source);
    switch (level_) {
      case Base::ReadUncommitted:
      case Base::ReadCommitted: return true;
      case Base::MonotonicAtomicView:
        return force(before, members, writers(key) & reader.sources, source);
      case Base::ReadAtomic: {
        Bits<W> seen = so_before_[reader.id] | reader.sources;
        const bool is_new = !seen.test(source);
        seen.set(source);
        if (!force(before, members, writers(key) & seen, source)) return false;
        if (!is_new) return true;
        return extend(before, members, reader, Bits<W>::of(source), writers);
      }
      case Base::Causal:
      case Base::Prefix:
      case Base::ParallelSnapshotIsolation:
      case Base::SnapshotIsolation:
      case Base::Serializable: {
        Bits<W> seen = reader.past | source_past;
        seen.set(source);
        if (!force(before, members, writers(key) & seen, source)) return false;
        const Bits<W> added = seen - reader.past;
        return added.none() || extend(before, members, reader, added, writers);
      }
    }
    return true;
  }

 private:
  /// Every one of `first`, apart from `then` itself, comes before `then`.
  static bool force(std::vector<Bits<W>>& before,
                    std::span<const std::uint16_t> members, Bits<W> first,
                    std::size_t then) {
    first.reset(then);
    const Bits<W> missing = first - before[then];
    if (missing.none()) return true;
    if (missing.any_of([&](std::size_t t) { return before[t].test(then); })) {
      return false;
    }
    Bits<W> all = missing;
    missing.for_each([&](std::size_t t) { all |= before[t]; });
    before[then] |= all;
    for (const std::uint16_t t : members) {
      if (before[t].test(then)) before[t] |= all;
    }
    return true;
  }

  /// The earlier reads of the reader see `added`, too.
  template <class Writers>
  static bool extend(std::vector<Bits<W>>& before,
                     std::span<const std::uint16_t> members,
                     const Reader& reader, const Bits<W>& added,
                     Writers&& writers) {
    for (const Logged<W>& event : reader.log) {
      if (event.kind != EventKind::Read) continue;
      if (!force(before, members, writers(event.key) & added, event.source)) {
        return false;
      }
    }
    return true;
  }

  Base level_;
  std::span<const Bits<W>> so_before_;
};

}  // namespace txscope::explore
