#include "race/name/name_race.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/ascii.h"
#include "check/anomaly/anomaly.h"
#include "check/check.h"
#include "db/proxy/statements.h"
#include "model/history_builder.h"
#include "race/reduce/mariadb_words.h"

namespace txscope::race {
namespace {

using Access = Footprint::Access;
using RowKey = std::string;  // "product=1", "orders+2": the second INSERT

constexpr auto kInstead =
    std::to_array<std::string_view>({"ON CONFLICT", "ON DUPLICATE", "IGNORE"});

enum class Deed : std::uint8_t { Select, Change, Insert, Other };

Deed deed_of(const Statement& statement) {
  const std::vector<std::string> words = db::first_words(statement.sql, 1);
  if (words.empty()) return Deed::Other;
  if (words[0] == "SELECT") return Deed::Select;
  if (words[0] == "UPDATE" || words[0] == "DELETE") return Deed::Change;
  return words[0] == "INSERT" ? Deed::Insert : Deed::Other;
}

/// An INSERT that has something else to do where the row is there.
bool may_change_instead(const Statement& statement) {
  const std::string text = ascii::upper(statement.sql);
  return std::any_of(kInstead.begin(), kInstead.end(), [&](auto words) {
    return text.find(words) != std::string::npos;
  });
}

/// Looks like a table, not like a sequence or an advisory lock.
bool is_table(const std::string& object, const Catalog& catalog) {
  return catalog.tables.count(object) == 1;
}

/// Plays the statements again, on versions instead of rows.
class RowPlayer {
 public:
  RowPlayer(const RunTrace& trace, const Catalog& catalog)
      : trace_(trace), catalog_(catalog), builder_("race") {}

  [[nodiscard]] bool run() {
    // There every step may notice every other: nothing is said of what it saw.
    if (is_mariadb() && catalog_.isolation == "serializable") return false;
    collect_rows();
    for (at_ = 0; at_ < trace_.events.size(); ++at_) {
      play(trace_.events[at_]);
      if (!is_understood_) return false;
    }
    for (auto& [name, lane] : lanes_) end(lane, false);
    return true;
  }

  [[nodiscard]] std::vector<RowTouch> touches() const {
    std::vector<RowTouch> result;
    for (const Transaction& one : ended_)
      for (const Did& did : one.did)
        result.push_back({did.event, did.statement, one.request, did.row,
                          did.is_write, did.version, one.is_committed});
    return result;
  }

  std::optional<History> history() {
    write_down();
    auto history = std::move(builder_).finish();
    if (!history) return std::nullopt;
    return *std::move(history);
  }

 private:
  using LaneName = std::pair<std::size_t, std::size_t>;
  struct Did {
    RowKey row;
    bool is_write = false;
    std::int64_t version = 0;
    std::size_t event = 0;
    std::size_t statement = 0;
  };
  struct Transaction {
    std::size_t request = 0;
    std::vector<Did> did;
    bool is_committed = false;
  };
  struct Open {
    std::size_t request = 0;
    std::vector<Statement> waiting;
    std::size_t sent_at = 0;    ///< the event that these were sent in
    std::size_t statement = 0;  ///< of these, the one that is played
    std::optional<Transaction> transaction;
    std::map<RowKey, std::int64_t> snapshot;
    bool has_snapshot = false;
    bool reads_latest = false;  ///< the statement at work, as it locks
    /// On MariaDB, at READ COMMITTED: what it asked for, for all or for the
    /// next transaction.
    std::optional<bool> always_committed;
    std::optional<bool> next_committed;
    bool failed = false;
  };

  /// Every row that some statement names or makes.
  void collect_rows() {
    std::map<std::size_t, std::size_t> inserted;
    for (const Event& event : trace_.events)
      for (const Statement& statement : event.statements) {
        const StatementTouches touches = named_touches(statement, catalog_);
        if (!touches.footprint) continue;
        for (const Footprint::Touch& touch : touches.footprint->touches())
          if (!touch.row.empty() && is_table(touch.object, catalog_))
            rows_[touch.object].insert(touch.object + touch.row);
        if (deed_of(statement) == Deed::Insert)
          if (const std::string table = written_table(touches); !table.empty())
            rows_[table].insert(insert_name(table, event.choice.request,
                                            ++inserted[event.choice.request]));
      }
  }

  static RowKey insert_name(const std::string& table, std::size_t request,
                            std::size_t number) {
    return table + "+" + std::to_string(request + 1) + "." +
           std::to_string(number);
  }

  [[nodiscard]] std::string written_table(
      const StatementTouches& touches) const {
    for (const Footprint::Touch& touch : touches.footprint->touches())
      if (touch.access == Access::Locks && is_table(touch.object, catalog_))
        return touch.object;
    return "";
  }

  void play(const Event& event) {
    Open& own = lanes_[{event.choice.request, event.choice.lane}];
    own.request = event.choice.request;
    if (event.choice.kind == Choice::Kind::Step) {
      own.waiting = event.statements;
      own.sent_at = at_;
    }
    for (const Statement& before : event.before) note_level(before.sql, own);
    for (const LaneStatus& status : event.after) {
      Open& lane = lanes_[{status.request, status.lane}];
      lane.request = status.request;
      if (status.is_waiting) continue;
      const bool has_error = std::any_of(
          event.errors.begin(), event.errors.end(),
          [&](const auto& error) { return error.first == status.request; });
      // There an error may end the statement, not the transaction.
      if (has_error && is_mariadb() && status.transaction != 'I')
        is_understood_ = false;
      lane.failed = lane.failed || has_error;
      lane.statement = 0;
      for (const Statement& statement : std::exchange(lane.waiting, {})) {
        if (!lane.failed) play(statement, status, lane);
        ++lane.statement;
      }
      // Most clients go right after their COMMIT.
      const bool is_over = status.transaction == 'I' || status.has_ended;
      if (is_over || status.is_gone) end(lane, !lane.failed && is_over);
    }
  }

  [[nodiscard]] bool is_mariadb() const {
    return catalog_.product == Product::MariaDb;
  }

  void note_level(const std::string& sql, Open& lane) {
    const std::string text = ascii::upper(sql);
    if (!is_mariadb() || text.find("ISOLATION") == std::string::npos) return;
    // A variable, or dirty reads.
    if (text.find("ISOLATION LEVEL") == std::string::npos ||
        text.find("UNCOMMITTED") != std::string::npos)
      is_understood_ = false;
    const bool is_committed = text.find("REPEATABLE") == std::string::npos;
    if (text.find("SESSION") != std::string::npos)
      lane.always_committed = is_committed;
    else
      lane.next_committed = is_committed;
  }

  [[nodiscard]] bool reads_committed(const Open& lane) const {
    return lane.next_committed.value_or(
        lane.always_committed.value_or(catalog_.reads_committed));
  }

  void play(const Statement& statement, const LaneStatus& status, Open& lane) {
    const StatementTouches touches = named_touches(statement, catalog_);
    if (touches.control == Control::Part) note_level(statement.sql, lane);
    if (touches.control == Control::Rollback) lane.failed = true;
    if (touches.control != Control::None) return;
    const Deed deed = deed_of(statement);
    if (!touches.footprint || touches.footprint->is_everything() ||
        deed == Deed::Other || may_change_instead(statement)) {
      is_understood_ = false;
      return;
    }
    if (!lane.transaction)
      lane.transaction = Transaction{lane.request, {}, false};
    const bool locks = std::any_of(
        touches.footprint->touches().begin(),
        touches.footprint->touches().end(),
        [](const auto& one) { return one.access == Access::Locks; });
    const bool has_snapshots = is_mariadb()
                                   ? !reads_committed(lane) && !locks
                                   : status.isolation != Isolation::Committed;
    if (has_snapshots && !lane.has_snapshot) {
      lane.snapshot = committed_;
      lane.has_snapshot = true;
    }
    lane.reads_latest = is_mariadb() && locks;
    const std::string target =
        deed == Deed::Select ? "" : written_table(touches);
    for (const Footprint::Touch& touch : touches.footprint->touches())
      if (is_table(touch.object, catalog_) && touch.object != target &&
          touch.access != Access::Shares)
        read(touch, lane);
    if (deed != Deed::Select) write(touches, target, deed, lane);
  }

  void read(const Footprint::Touch& touch, Open& lane) {
    if (!touch.row.empty()) {
      read(touch.object + touch.row, lane);
      return;
    }
    for (const RowKey& row : rows_[touch.object]) read(row, lane);
  }

  void read(const RowKey& row, Open& lane) {
    // What it wrote itself tells nothing of others.
    for (const Did& did : lane.transaction->did)
      if (did.is_write && did.row == row) return;
    const auto& seen =
        lane.has_snapshot && !lane.reads_latest ? lane.snapshot : committed_;
    const auto found = seen.find(row);
    note(lane, row, false, found == seen.end() ? 0 : found->second);
  }

  void write(const StatementTouches& touches, const std::string& table,
             Deed deed, Open& lane) {
    if (deed == Deed::Insert) {
      note(lane, insert_name(table, lane.request, ++inserted_[lane.request]),
           true, ++last_version_);
      return;
    }
    for (const Footprint::Touch& touch : touches.footprint->touches()) {
      if (touch.object != table || touch.access != Access::Locks) continue;
      // Which rows it changes nobody knows.
      if (touch.row.empty()) is_understood_ = false;
      note(lane, table + touch.row, true, ++last_version_);
    }
  }

  static void note(Open& lane, RowKey row, bool is_write,
                   std::int64_t version) {
    lane.transaction->did.push_back(
        {std::move(row), is_write, version, lane.sent_at, lane.statement});
  }

  void end(Open& lane, bool commits) {
    if (lane.transaction) {
      lane.transaction->is_committed = commits;
      if (commits)
        for (const Did& did : lane.transaction->did)
          if (did.is_write) committed_[did.row] = did.version;
      ended_.push_back(*std::move(lane.transaction));
      lane.next_committed.reset();
    }
    lane.transaction.reset();
    lane.snapshot.clear();
    lane.has_snapshot = lane.failed = false;
  }

  void write_down() {
    AtomTable& atoms = builder_.atoms();
    builder_.set_default_initial(atoms.of_int(0));
    for (const Transaction& one : ended_) {
      const SessionId session =
          builder_.session(atoms.of_string(std::to_string(one.request + 1)));
      builder_.begin(session);
      for (const Did& did : one.did) {
        const KeyId key = builder_.key(atoms.of_string(did.row));
        if (did.is_write)
          builder_.write(key, atoms.of_int(did.version));
        else
          builder_.read(key, atoms.of_int(did.version));
      }
      builder_.end(one.is_committed ? Status::Committed : Status::Aborted);
    }
  }

  const RunTrace& trace_;
  const Catalog& catalog_;
  std::size_t at_ = 0;  ///< of the trace's events
  HistoryBuilder builder_;
  std::map<std::string, std::set<RowKey>> rows_;  ///< by table
  std::map<LaneName, Open> lanes_;
  std::map<RowKey, std::int64_t> committed_;
  std::map<std::size_t, std::size_t> inserted_;  ///< by request
  std::vector<Transaction> ended_;
  std::int64_t last_version_ = 0;
  bool is_understood_ = true;
};

}  // namespace

std::optional<std::vector<RowTouch>> row_touches(const RunTrace& trace,
                                                 const Catalog& catalog) {
  RowPlayer player(trace, catalog);
  if (!player.run()) return std::nullopt;
  return player.touches();
}

std::optional<History> row_history(const RunTrace& trace,
                                   const Catalog& catalog) {
  RowPlayer player(trace, catalog);
  if (!player.run()) return std::nullopt;
  return player.history();
}

std::optional<Anomaly> name_of_race(const RunTrace& trace,
                                    const Catalog& catalog,
                                    const Budget& budget) {
  const auto history = row_history(trace, catalog);
  if (!history) return std::nullopt;
  const Level level{Base::Serializable, Order::None};
  const Verdict verdict = check::check(*history, level, budget);
  if (verdict.outcome() != txscope::Outcome::Violated) return std::nullopt;
  return check::anomaly_of(*history, verdict.level, verdict.refutation());
}

}  // namespace txscope::race
