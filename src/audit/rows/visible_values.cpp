#include "audit/rows/visible_values.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "audit/rows/cells.h"
#include "audit/rows/sum_of_rows.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;
using sql::Value;
using Access = RowAccess::Kind;
using Clock = MustPrecede::Clock;

/// Additions of which all choices are tried.
constexpr std::size_t kFewOpen = 8;
constexpr std::size_t kMostValues = 4096;
/// Of more additions the sums of all choices, if they are not more than this.
constexpr std::uint64_t kMostOpenSums = 1024;
constexpr int kMostSweeps = 8;
constexpr int kMostSeeds =
    3;  // sweeps over those that only one can have written
/// Ways in which an answer can be, in all.
constexpr std::uint64_t kMostLooks = 20'000'000;
constexpr std::size_t kMostSeenNumbers = 40'000'000;

/// What a statement saw of a cell, or of the sum of several.
struct CellRead {
  enum class Kind : std::uint8_t { Shows, Exists, Absent };
  std::uint32_t statement = 0;
  Kind kind = Kind::Shows;
  bool is_plain = false;  ///< shows a state, not what is last
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;  // row, column
  Value value;
  Clock seen;  ///< who precedes what it saw
};

/// Whether additions are made to the last version there is.
bool keeps_additions(Rule rule) {
  return rule != Rule::Prefix && rule != Rule::ReadCommitted;
}

class VisibleValues {
 public:
  VisibleValues(const LoadedLog& log, const RowVersions& rows,
                const AuditLevel& level, MustPrecede order)
      : log_(log),
        rows_(rows),
        rule_(level.rule),
        order_(std::move(order)),
        cells_(log, rows, order_),
        reads_(log.judged().size()),
        sole_(log.judged().size()) {}

  std::optional<Impossible> run(const Budget& budget) {
    std::size_t count = 0;
    for (std::uint32_t t = 0; t < reads_.size(); ++t)
      if (order_.place(t) != 0) count += collect(t);
    if (count > kMostSeenNumbers / order_.sessions()) return std::nullopt;
    const std::vector<std::uint32_t> order = by_time();
    for (int sweep = 0;
         sweep < kMostSeeds && (sweep == 0 || order_.has_changed()); ++sweep) {
      order_.forget_changes();
      for (const std::uint32_t t : order) {
        if (budget.spent()) return std::nullopt;
        order_.pass_on(t);
        for (const auto& [read, writer] : sole_[t])
          learn(t, reads_[t][read], order_.clock(writer));
        if (order_.cycle()) return in_cycle();
      }
    }
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      order_.forget_changes();
      for (const std::uint32_t t : order) {
        if (budget.spent()) return std::nullopt;
        order_.pass_on(t);
        for (CellRead& read : reads_[t])
          if (!look(t, read)) return impossible(t, read);
        if (looked_ > kMostLooks) return std::nullopt;
        if (order_.cycle()) return in_cycle();
      }
      if (!order_.has_changed()) break;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> by_time() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t t = 0; t < reads_.size(); ++t)
      if (order_.place(t) != 0) order.push_back(t);
    std::stable_sort(
        order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
          return hint(*log_.judged()[a].log) < hint(*log_.judged()[b].log);
        });
    return order;
  }

  std::size_t collect(std::uint32_t t) {
    const Txn& txn = log_.judged()[t];
    const sql::Schema& schema = log_.initial().schema();
    // One of unknown outcome need not be explained.
    if (txn.log->status == LogStatus::Unknown) return 0;
    std::set<std::uint32_t> own;
    std::vector<bool> is_unclear(schema.tables.size(), false);
    for (std::uint32_t k = 0; k < txn.statements.size(); ++k) {
      if (txn.is_opaque[k]) continue;
      const Prepared& prepared = *txn.statements[k];
      if (prepared.kind == sql::ReadStatement::Kind::RollbackTo)
        is_unclear.assign(schema.tables.size(), true);
      const bool is_plain = prepared.is_select() && !prepared.locks();
      for (const RowAccess& access : rows_.accesses(t, k)) {
        if (access.kind == Access::Nothing || access.kind == Access::TooMany)
          continue;
        if (is_wild(access.kind)) {
          is_unclear[access.table.index] = true;
          continue;
        }
        const auto row = rows_.find_row(access.table, access.key);
        if (!row) continue;
        if (is_write(access.kind))
          own.insert(*row);
        else if (!is_unclear[access.table.index] && own.count(*row) == 0 &&
                 !rows_.keys_may_repeat(access.table, rule_, is_plain))
          add_reads(t, k, *row, access, is_plain);
      }
      if (is_plain) add_sum(t, k, own, is_unclear);
    }
    return reads_[t].size();
  }

  void add_reads(std::uint32_t t, std::uint32_t k, std::uint32_t row,
                 const RowAccess& access, bool is_plain) {
    if (access.kind == Access::Seen) {
      const auto writers = rows_.writers(row, access, t);
      if (writers.txns.size() == 1 && writers.txns[0] != kInitialTxn)
        sole_[t].emplace_back(reads_[t].size(), writers.txns[0]);
    }
    CellRead read;
    read.statement = k;
    read.is_plain = is_plain;
    if (access.kind == Access::Seen && !access.columns.empty()) {
      for (const auto& [column, value] : access.columns) {
        read.cells = {{row, column}};
        read.value = value;
        reads_[t].push_back(read);
      }
      return;
    }
    const sql::Table& table = log_.initial().schema().at(access.table);
    read.kind = access.kind == Access::Absent ? CellRead::Kind::Absent
                                              : CellRead::Kind::Exists;
    read.cells = {{row, table.unique[0].columns[0]}};
    reads_[t].push_back(std::move(read));
  }

  /// The sum of a column of rows that are always there.
  void add_sum(std::uint32_t t, std::uint32_t k,
               const std::set<std::uint32_t>& own,
               const std::vector<bool>& is_unclear) {
    const Txn& txn = log_.judged()[t];
    const auto sum = sum_of_rows(log_.initial().schema(), *txn.statements[k],
                                 txn.log->statements[k]);
    if (!sum || is_unclear[sum->table.index] || rows_.has_deletes(sum->table))
      return;
    CellRead read;
    read.statement = k;
    read.is_plain = true;
    read.value = sum->value;
    for (const sql::Row& key : sum->keys) {
      const auto row = rows_.find_row(sum->table, key);
      if (!row || own.count(*row) != 0 || rows_.initial(*row) == nullptr)
        return;
      read.cells.emplace_back(*row, sum->column);
    }
    if (!read.cells.empty()) reads_[t].push_back(std::move(read));
  }

  /// Who is in what a read saw for certain.
  [[nodiscard]] Clock low_of(std::uint32_t t, const CellRead& read) const {
    const bool is_by_view =
        rule_ == Rule::MariadbRepeatableRead || rule_ == Rule::MariadbSnapshot;
    if (!is_by_statement(rule_)) {
      const auto clock = order_.clock(t);
      Clock low(clock.begin(), clock.end());
      --low[order_.session(t)];
      return low;
    }
    Clock low = order_.start(t);
    for (const CellRead& other : reads_[t]) {
      const bool is_seen =
          is_by_view ? read.is_plain && other.is_plain
                     : other.statement < read.statement ||
                           (other.statement == read.statement && read.is_plain);
      if (!is_seen || other.seen.empty()) continue;
      for (std::size_t s = 0; s < low.size(); ++s)
        low[s] = std::max(low[s], other.seen[s]);
    }
    return low;
  }

  /// What is common to all ways in which an answer can be.
  class Common {
   public:
    explicit Common(const MustPrecede& order) : order_(order) {}

    void add(const CellPast& past,
             std::span<const Cell::Writer* const> additions) {
      Clock clock(order_.sessions(), 0);
      if (past.setter != nullptr) join(clock, past.setter->txn);
      for (const Cell::Writer* w : additions) join(clock, w->txn);
      if (!is_any_) {
        common_ = std::move(clock);
      } else {
        for (std::size_t s = 0; s < clock.size(); ++s)
          common_[s] = std::min(common_[s], clock[s]);
      }
      is_any_ = true;
    }
    [[nodiscard]] bool is_any() const { return is_any_; }
    [[nodiscard]] const Clock& clock() const { return common_; }

   private:
    void join(Clock& clock, std::uint32_t txn) const {
      const auto other = order_.clock(txn);
      for (std::size_t s = 0; s < clock.size(); ++s)
        clock[s] = std::max(clock[s], other[s]);
    }
    const MustPrecede& order_;
    Clock common_;
    bool is_any_ = false;
  };

  /// False: there is no way in which it can have been seen.
  bool look(std::uint32_t t, CellRead& read) {
    const Clock low = low_of(t, read);
    if (read.cells.size() > 1 || is_sum(read)) return look_at_sum(t, read, low);
    const Cell* cell = cells_.find(read.cells[0].first, read.cells[0].second);
    if (cell == nullptr) return true;
    Common common(order_);
    const auto pasts = pasts_of(*cell, order_, t, low, keeps_additions(rule_));
    looked_ += pasts.size();
    for (const CellPast& past : pasts) add_ways(read, past, common);
    if (!common.is_any()) return false;
    learn(t, read, common.clock());
    return true;
  }

  /// All in this clock precede what was seen.
  void learn(std::uint32_t t, CellRead& read,
             std::span<const std::uint32_t> before) {
    if (read.seen.empty()) read.seen.assign(order_.sessions(), 0);
    for (std::size_t s = 0; s < read.seen.size(); ++s)
      read.seen[s] = std::max(read.seen[s], before[s]);
    order_.learn(t, read.seen);
  }

  static bool is_sum(const CellRead& read) { return read.cells.size() > 1; }

  static void add_ways(const CellRead& read, const CellPast& past,
                       Common& common) {
    if (past.is_any) return common.add(past, {});
    if (read.kind != CellRead::Kind::Shows) {
      if (past.is_absent == (read.kind == CellRead::Kind::Absent))
        common.add(past, {});
      return;
    }
    if (past.is_absent) return;
    if (past.open.empty()) {
      if (is_same_value(past.value, read.value)) common.add(past, {});
      return;
    }
    if (read.value.kind() != sql::Kind::Integer) return common.add(past, {});
    if (past.open.size() > kFewOpen) {
      ValueSet values;
      values.start(past.value.integer());
      for (const Cell::Writer* w : past.open) values.add(w->added);
      ValueEffort effort{kMostOpenSums};
      values.finish(effort);
      if (values.contains(read.value.integer())) common.add(past, {});
      return;
    }
    for (std::uint32_t chosen = 0; chosen < 1u << past.open.size(); ++chosen) {
      std::vector<const Cell::Writer*> additions;
      sql::Int128 sum = past.value.integer();
      for (std::size_t i = 0; i < past.open.size(); ++i) {
        if ((chosen >> i & 1u) == 0) continue;
        additions.push_back(past.open[i]);
        sum += past.open[i]->added;
      }
      if (sum == read.value.integer()) common.add(past, additions);
    }
  }

  /// Every value that a cell can have there; none: not known, or too many.
  [[nodiscard]] std::optional<std::set<std::int64_t>> values_of(
      const Cell& cell, std::uint32_t t, const Clock& low) const {
    std::set<std::int64_t> all;
    for (const CellPast& past :
         pasts_of(cell, order_, t, low, keeps_additions(rule_))) {
      if (past.is_any || past.is_absent ||
          past.value.kind() != sql::Kind::Integer ||
          past.open.size() > kFewOpen)
        return std::nullopt;
      for (std::uint32_t chosen = 0; chosen < 1u << past.open.size();
           ++chosen) {
        std::int64_t sum = past.value.integer();
        for (std::size_t i = 0; i < past.open.size(); ++i)
          if ((chosen >> i & 1u) != 0 &&
              __builtin_add_overflow(sum, past.open[i]->added, &sum))
            return std::nullopt;
        all.insert(sum);
      }
      if (all.size() > kMostValues) return std::nullopt;
    }
    return all;
  }

  bool look_at_sum(std::uint32_t t, const CellRead& read, const Clock& low) {
    std::set<std::int64_t> sums = {0};
    for (const auto& [row, column] : read.cells) {
      const Cell* cell = cells_.find(row, column);
      if (cell == nullptr) return true;
      const auto values = values_of(*cell, t, low);
      if (!values || sums.size() * values->size() > kMostValues * 16)
        return true;
      std::set<std::int64_t> more;
      for (const std::int64_t sum : sums)
        for (const std::int64_t value : *values) {
          std::int64_t both = 0;
          if (__builtin_add_overflow(sum, value, &both)) return true;
          more.insert(both);
        }
      sums = std::move(more);
    }
    return std::any_of(sums.begin(), sums.end(), [&](std::int64_t sum) {
      return is_same_value(Value::integer(sum), read.value);
    });
  }

  [[nodiscard]] Impossible impossible(std::uint32_t t,
                                      const CellRead& read) const {
    const auto [row, column] = read.cells[0];
    const sql::Table& table = log_.initial().schema().at(rows_.table(row));
    std::string key;
    for (const Value& value : rows_.key(row))
      key += (key.empty() ? "" : ",") + to_string(value);
    Impossible found;
    found.txn = t;
    found.statement = read.statement;
    found.has_core = false;
    if (is_sum(read))
      found.why =
          "no versions of these rows that it can have seen, after "
          "what precedes it, have this sum";
    else if (read.kind == CellRead::Kind::Exists)
      found.why = "row " + key + " of " + table.name +
                  " cannot have been there, after what precedes it";
    else if (read.kind == CellRead::Kind::Absent)
      found.why = "row " + key + " of " + table.name +
                  " must have been there, after what precedes it";
    else
      found.why = table.columns[column].name + " in row " + key + " of " +
                  table.name + " cannot have been " + to_string(read.value) +
                  ", after what precedes it";
    return found;
  }

  [[nodiscard]] Impossible in_cycle() const {
    const auto& [other, t] = *order_.cycle();
    Impossible found;
    found.txn = t;
    found.statement = log_.judged()[t].statements.size();
    found.has_core = false;
    found.why = "it precedes " + log_.judged()[other].log->id +
                ", which precedes it, by what they and others have seen";
    return found;
  }

  const LoadedLog& log_;
  const RowVersions& rows_;
  Rule rule_;
  MustPrecede order_;
  Cells cells_;
  std::vector<std::vector<CellRead>> reads_;  // by transaction
  /// Of these, by number, those that only one can have written.
  std::vector<std::vector<std::pair<std::size_t, std::uint32_t>>> sole_;
  std::uint64_t looked_ = 0;
};

}  // namespace

std::optional<Impossible> find_unseeable(const LoadedLog& log,
                                         const RowVersions& rows,
                                         const AuditLevel& level,
                                         const Budget& budget) {
  if (level.rule == Rule::ReadCommitted || log.skipped() != 0)
    return std::nullopt;
  auto order = MustPrecede::of(log, level.is_strict);
  if (!order) return std::nullopt;
  return VisibleValues(log, rows, level, std::move(*order)).run(budget);
}

}  // namespace txscope::audit
