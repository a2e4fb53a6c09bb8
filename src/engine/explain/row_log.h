#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/server/state.h"
#include "exec/sql/query/store.h"
#include "model/answer.h"

namespace txscope::engine {

/// Who wrote which version of which row in one run, and who read it.
///
/// Definition.  A row is known by its table and primary key; without one, by
/// what it contains.  A scan reads every row that its condition on the key does
/// not exclude, and a row that is not there is a version, too.
/// Method.  Listens to the scans of one run on a Server; what statements write
/// is what their session has pending afterwards.  Only rows in `wanted` are
/// told: those that somebody writes, all others have one version.
class RowLog : public sql::ScanWatcher {
 public:
  using Key = std::pair<TableId, sql::Row>;
  /// `state` is the run's, before its first move.
  RowLog(const sql::Schema& schema, const State& state,
         std::set<Key> wanted = {});

  /// The session's next move begins: its transaction is `call`.
  void begin(SessionNo session, CallRef call,
             const sql::DbStatement* statement);
  void scanned(const sql::Access& access,
               std::span<const sql::Row> shown) override;
  /// The move's statement is done: what it read and wrote, and whose commits
  /// its reads miss.
  void tell(txscope::Step& step);
  void committed();
  void rolled_back();

  /// Everything that somebody wrote.
  [[nodiscard]] const std::set<Key>& written() const { return written_; }
  /// A row of the end, and who wrote it.
  [[nodiscard]] RowUse final_row(TableId table, const sql::Row& row) const;

 private:
  using Rows = std::map<Key, std::optional<sql::Row>>;
  struct Version {
    std::optional<sql::Row> row;
    std::optional<CallRef> writer;
    Stamp stamp = 0;
  };

  [[nodiscard]] Key key_of(TableId table, const sql::Row& row) const;
  [[nodiscard]] std::string name(const Key& key) const;
  [[nodiscard]] bool excludes(const sql::Access& access, const Key& key) const;
  [[nodiscard]] Rows pending_of(SessionNo session) const;
  [[nodiscard]] bool reads_latest() const;
  /// The version of a row that is not shown, or shown as `row`.
  [[nodiscard]] RowUse version_read(const Key& key,
                                    const std::optional<sql::Row>& row,
                                    bool is_shown);

  const sql::Schema& schema_;
  const State& state_;
  const std::set<Key> wanted_;
  std::map<Key, std::vector<Version>> versions_;  // committed, by time
  std::vector<Rows> pending_;                     // by session
  std::vector<CallRef> running_;                  // by session
  std::set<Key> written_;
  // The move that is being done.
  SessionNo session_ = 0;
  CallRef call_;
  const sql::DbStatement* statement_ = nullptr;
  std::map<Key, RowUse> reads_;
  std::set<CallRef> misses_;
};

}  // namespace txscope::engine
