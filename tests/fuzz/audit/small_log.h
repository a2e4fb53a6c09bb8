#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace txscope::test {

using Int = std::optional<int>;  ///< none: NULL

/// A row of the one table of these logs:
/// t (k INT PRIMARY KEY, v INT, u INT UNIQUE).
struct SmallRow {
  int k = 0;
  Int v;
  Int u;
  friend bool operator==(const SmallRow&, const SmallRow&) = default;
};

/// A row is one life of a key: deleted and inserted again it is another.
using Lives = std::map<int, SmallRow>;
/// What a transaction has made of lives; none: deleted.
using OwnLives = std::map<int, std::optional<SmallRow>>;

struct SmallAnswer {
  std::vector<std::vector<Int>> rows;
  int count = 0;
  bool is_error = false;  ///< 23505
  friend bool operator==(const SmallAnswer&, const SmallAnswer&) = default;
};

struct SmallStatement {
  enum Kind {
    ReadKey,        ///< SELECT v, u WHERE k = a
    LockKey,        ///< the same FOR UPDATE
    ReadRange,      ///< SELECT k, v WHERE v >= a ORDER BY k
    Total,          ///< SELECT count(*), sum(v) WHERE v <> a
    CountAll,       ///< SELECT count(*)
    Insert,         ///< (a, b, u)
    InsertNothing,  ///< the same ON CONFLICT DO NOTHING
    InsertUpdate,   ///< the same ON CONFLICT (k) DO UPDATE SET v = b
    SetKey,         ///< SET v = b WHERE k = a
    AddKey,         ///< SET v = v + b WHERE k = a
    AddRange,       ///< SET v = v + b WHERE v >= a
    CountInto,      ///< SET v = (SELECT count(*) FROM t) WHERE k = a
    SetUnique,      ///< SET u = b WHERE k = a
    MoveKey,        ///< SET k = b WHERE k = a
    DeleteKey,      ///< WHERE k = a
    DeleteRange,    ///< WHERE v >= a
  };
  static constexpr int kKinds = 16;
  Kind kind = ReadKey;
  int a = 0;
  Int b;
  Int u;
  bool is_observed = true;
  bool is_undone = false;  ///< by going back to a savepoint before it
  SmallAnswer answer;

  [[nodiscard]] bool is_select() const { return kind <= CountAll; }
  [[nodiscard]] bool is_insert() const {
    return kind == Insert || kind == InsertNothing || kind == InsertUpdate;
  }
};

struct SmallTxn {
  enum Status { Committed, Aborted, Unknown };
  int session = 0;
  int start = 0;
  int end = 0;
  Status status = Committed;
  std::vector<SmallStatement> statements;
};

struct SmallLog {
  std::vector<SmallRow> initial;
  std::vector<SmallTxn> txns;
  bool judges_aborted = false;
};

/// Runs a statement on rows that it sees, `seen`, and holds unique keys against
/// `latest`; both have the transaction's own writes in them.  What it changes
/// goes to `own`; `next_life` numbers new lives.
SmallAnswer run(const SmallStatement& s, const Lives& seen, const Lives& latest,
                OwnLives& own, int& next_life);

/// Rows as a multiset, in the order of what was asked for.
bool is_same_answer(const SmallStatement& s, const SmallAnswer& given);

/// The row that an INSERT wants to put.
SmallRow inserted(const SmallStatement& s);
/// The life that has its primary key; none: nobody.
std::optional<int> life_with_key(const Lives& rows, int k);
/// Whether one of them is in its way.
bool is_in_the_way(const Lives& rows, const SmallStatement& s);

/// The lives with a transaction's own writes over them.
Lives with_own(const Lives& state, const OwnLives& own);

/// Whether no key is there twice.
bool is_unique(const Lives& state);

/// As a log of txscope, with so many more transactions that touch another
/// table only.
std::string text_of(const SmallLog& log, int more = 0);

}  // namespace txscope::test
