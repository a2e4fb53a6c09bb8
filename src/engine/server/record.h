#pragma once

#include <cstdint>
#include <vector>

#include "engine/postgres/ssi.h"
#include "engine/server/row_pool.h"

namespace txscope::engine {

/// A session by its number.  It has at most one transaction at a time, so it
/// also names a transaction that has not ended.
using SessionNo = std::uint8_t;
/// A set of sessions.
using SessionSet = std::uint64_t;
inline constexpr std::size_t kMaxSessions = 64;
inline constexpr SessionNo kNobody = 0xff;

[[nodiscard]] inline SessionSet only(SessionNo s) { return SessionSet{1} << s; }

/// A point in the order of commits: what committed at or before it is visible.
using Stamp = std::int32_t;
inline constexpr Stamp kNoSnapshot = -1;

/// PostgreSQL: where a version of a row stands in its table, which scans go
/// through in this order: each new one stands behind all others.  Kept where
/// somebody may tell (heap_order.h); else 0, and scans go by the primary key.
using Spot = std::uint32_t;

/// What a committed transaction made of a record.
struct Version {
  const StoredRow* row = nullptr;  ///< none: deleted
  Stamp stamp = 0;
  /// PostgreSQL: to a FOR KEY SHARE it is another row than the version before,
  /// since a key has changed, or since the writer had it locked FOR UPDATE: an
  /// UPDATE keeps the stronger mark.
  bool moves_key = false;
  Spot spot = 0;
};

/// What a transaction that has not ended made of a record.
struct Pending {
  SessionNo owner = kNobody;
  /// Written by a statement that runs or waits now, which does not see it: 1 by
  /// the session's own, 2 by one of a trigger that it fired, and so on; a
  /// statement sees what has a lower rank.  0: the statement is done.
  std::uint8_t rank = 0;
  /// In how many sub-transactions.
  std::uint8_t depth = 0;
  bool moves_key = false;  ///< as in Version
  /// Of a fresh row: how many unique indexes it has been entered into (MariaDB:
  /// steps of all indexes).  It waits at one before it enters it, and those
  /// behind.
  std::uint16_t entered = 0;
  Spot spot = 0;
  const StoredRow* row = nullptr;
  /// What the owner had made of it before, the oldest first, as far as a
  /// statement still sees it, or the end of one or of a sub-transaction may
  /// bring it back.
  struct Layer {
    const StoredRow* row = nullptr;
    std::uint8_t rank = 0;
    std::uint8_t depth = 0;
    bool moves_key = false;
    std::uint16_t given_up = 0;  ///< how many there were
    Spot spot = 0;
  };
  std::vector<Layer> below;
  /// Earlier rows of the same owner, where a unique key has changed since: they
  /// are in the indexes until it ends.
  std::vector<const StoredRow*> given_up;

  [[nodiscard]] bool exists() const { return owner != kNobody; }
  [[nodiscard]] bool is_fresh() const { return rank > 0; }
  /// Puts the row before back; if there was none nothing is pending.
  void take_back();
  /// What a statement of this rank sees of its own transaction; false: nothing.
  [[nodiscard]] bool shows(std::uint8_t to, const StoredRow*& seen,
                           Spot* spot = nullptr) const;
};

/// The strengths of row locks.  MariaDB uses Share and Update.
enum class LockMode : std::uint8_t { KeyShare, Share, NoKeyUpdate, Update };
[[nodiscard]] bool conflicts(LockMode a, LockMode b);

struct Lock {
  SessionNo owner = kNobody;
  LockMode mode = LockMode::Update;
  /// The sub-transaction whose end without success frees it.
  std::uint8_t depth = 0;

  friend bool operator==(const Lock&, const Lock&) = default;
};

/// A row and its history.  In PostgreSQL it is an update chain: its key may
/// change, and it ends when the row is deleted.  In MariaDB it is what has been
/// at one primary key.
struct Record {
  std::vector<Version> versions;  ///< ascending stamps; only those needed
  /// A row that has been here: a deleted record that somebody locks or waits
  /// for still has its key.
  const StoredRow* anchor = nullptr;
  /// MariaDB: its entry in the clustered index, which never changes.
  const StoredRow* place = nullptr;
  Pending pending;
  /// Of those that are granted at most one per owner and depth, the stronger
  /// ones deeper.
  std::vector<Lock> locks;
  /// PostgreSQL: who waits for it, whether they still do is theirs to say.
  SessionSet queue = 0;
  TxnSet readers = 0;  ///< transactions of Ssi that read the last version
  TxnSet writers = 0;  ///< transactions of Ssi that wrote a version

  [[nodiscard]] const Version* last() const {
    return versions.empty() ? nullptr : &versions.back();
  }
  /// The committed version that `snapshot` sees, if any.
  [[nodiscard]] const Version* version_at(Stamp snapshot) const;
  /// Its row.
  [[nodiscard]] const StoredRow* at(Stamp snapshot) const {
    const Version* version = version_at(snapshot);
    return version == nullptr ? nullptr : version->row;
  }
  /// The last committed row, if it was not deleted.
  [[nodiscard]] const StoredRow* committed() const {
    return versions.empty() ? nullptr : versions.back().row;
  }
};

}  // namespace txscope::engine
