#include "audit/search/story.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "audit/search/refuted.h"
#include "model/answer.h"

namespace txscope::audit {
namespace {

constexpr std::size_t kLongestLog = 20'000;  // transactions
constexpr std::size_t kMostRows = 20;        // of a statement
constexpr std::size_t kMostWriters = 4;      // before who fails

using StatementKind = sql::ReadStatement::Kind;
using Places = std::vector<const Txn*>;

RowUse row_use(std::string name, std::optional<sql::Row> row) {
  RowUse use;
  use.key = std::move(name);
  use.row = std::move(row);
  return use;
}

std::optional<sql::Row> value_of(const RowPtr& row) {
  return row == nullptr ? std::nullopt : std::optional(*row);
}

/// One after the other.
Places serial_order(const LoadedLog& log) {
  Places order;
  bool has_times = true;
  for (const Txn& txn : log.judged()) {
    order.push_back(&txn);
    has_times &= hint(*txn.log) != std::numeric_limits<std::int64_t>::max();
  }
  if (has_times)
    std::stable_sort(order.begin(), order.end(),
                     [](const Txn* a, const Txn* b) {
                       return hint(*a->log) < hint(*b->log);
                     });
  return order;
}

/// A run of the log that remembers the rows of some transactions.
class Story {
 public:
  Story(const LoadedLog& log, const Budget& budget, std::vector<CoreTxn>& shown)
      : log_(log),
        budget_(budget),
        ids_(log.new_ids()),
        tables_(log.initial()),
        order_(serial_order(log)) {
    for (CoreTxn& one : shown) shown_.emplace(one.line, &one);
  }

  /// False: the budget ended.
  bool run() {
    std::size_t left = shown_.size();
    for (const Txn* txn : order_) {
      if (left == 0) break;
      if (budget_.spent_now()) return false;
      const auto shown = shown_.find(txn->log->line);
      CoreTxn* to = shown == shown_.end() ? nullptr : shown->second;
      if (to != nullptr) {
        --left;
        ran_.push_back(to->line);
      }
      if (!run(*txn, to)) return false;
    }
    return true;
  }

  /// The lines of those that were shown, as they ran.
  [[nodiscard]] const std::vector<std::uint64_t>& ran() const { return ran_; }
  /// Of every row that was told, what was there before.
  [[nodiscard]] std::vector<RowUse> begin() const {
    std::vector<RowUse> rows;
    for (const std::string& name : told_)
      rows.push_back(row_use(name, first_.at(name)));
    return rows;
  }
  /// Only rows that were told are worth telling.
  void forget_others() {
    for (auto& [line, txn] : shown_)
      std::erase_if(txn->others, [&](const RowUse& use) {
        return !told_.contains(use.key);
      });
  }
  /// The lines of who last wrote what the last one looked at, the latest last.
  [[nodiscard]] std::vector<std::uint64_t> last_writers() const {
    std::map<std::size_t, std::uint64_t> lines;
    for (const auto& [position, line] : writers_seen_) lines[position] = line;
    std::vector<std::uint64_t> out;
    for (const auto& [position, line] : lines) out.push_back(line);
    if (out.size() > kMostWriters)
      out.erase(out.begin(), out.end() - kMostWriters);
    return out;
  }

 private:
  bool run(const Txn& txn, CoreTxn* to) {
    ++position_;
    own_.clear();
    savepoints_.clear();
    if (to != nullptr) take_others(*to);
    for (std::size_t k = 0; k < txn.statements.size(); ++k)
      if (!run(txn, k, to == nullptr ? nullptr : &to->statements[k]))
        return false;
    if (txn.log->status != sql::LogStatus::Aborted) commit(txn, to != nullptr);
    return true;
  }

  bool run(const Txn& txn, std::size_t k, CoreTxn::Statement* to) {
    const Prepared& prepared = *txn.statements[k];
    const sql::LogStatement& observed = txn.log->statements[k];
    if (txn.is_opaque[k]) return true;
    if (!prepared.runs()) return control(prepared), true;
    const OwnWrites before = to == nullptr ? OwnWrites() : own_;
    const std::size_t mark = own_.mark();
    Visited visited;
    Sight sight{kNow, nullptr, kNow, false, &visited};
    sight.tells = true;
    auto ran = execute(prepared, observed, tables_, own_, sight, ids_, budget_);
    const Answer* answer = std::get_if<Answer>(&ran);
    if (answer == nullptr || (answer->error && answer->error->is_ours))
      return false;
    if (to != nullptr) tell(prepared, observed, *answer, visited, before, *to);
    if (observed.error) own_.roll_back(mark);
    return true;
  }

  void control(const Prepared& prepared) {
    if (prepared.kind == StatementKind::Savepoint)
      savepoints_[prepared.name] = own_.mark();
    const auto found = savepoints_.find(prepared.name);
    if (prepared.kind == StatementKind::RollbackTo &&
        found != savepoints_.end())
      own_.roll_back(found->second);
  }

  void tell(const Prepared& prepared, const sql::LogStatement& observed,
            const Answer& answer, const Visited& visited,
            const OwnWrites& before, CoreTxn::Statement& to) {
    if (!explains(prepared, answer, observed))
      to.instead = describe(prepared, answer);
    std::set<std::pair<std::uint32_t, RowNumber>> looked;
    for (const auto& [table, row] : visited) {
      if (looked.size() == kMostRows ||
          !looked.emplace(table.index, row).second)
        continue;
      tell_read(table, row, before, to);
    }
    // What was refused changes nothing.
    if (observed.error) return;
    for (const OwnWrites::Write& write : own_.all()) {
      const OwnWrites::Write* old = before.find(write.table, write.handle);
      if (old != nullptr && old->now == write.now) continue;
      if (to.writes.size() == kMostRows) break;
      tell_write(write, to);
    }
  }

  void tell_read(TableId table, RowNumber row, const OwnWrites& before,
                 CoreTxn::Statement& to) {
    const OwnWrites::Write* own = before.find(table, row);
    const RowPtr* there = tables_.visible(table, row, kNow);
    if (own == nullptr && there == nullptr) return;
    const RowPtr& seen = own != nullptr ? own->now : *there;
    if (seen == nullptr) return;
    RowUse use = row_use(name_of(table, row, *seen), *seen);
    use.is_own = own != nullptr;
    if (!use.is_own) {
      first_.emplace(use.key, use.row);
      if (const auto writer = last_writer_.find({table.index, row});
          writer != last_writer_.end())
        writers_seen_.insert(writer->second);
    }
    told_.insert(use.key);
    first_.emplace(use.key, std::nullopt);
    to.reads.push_back(std::move(use));
  }

  void tell_write(const OwnWrites::Write& write, CoreTxn::Statement& to) {
    const RowPtr& any = write.now != nullptr ? write.now : write.before;
    if (any == nullptr) return;
    RowUse use =
        row_use(name_of(write.table, write.handle, *any), value_of(write.now));
    note_first(use.key, write.before);
    told_.insert(use.key);
    to.writes.push_back(std::move(use));
  }

  void note_first(const std::string& name, const RowPtr& before) {
    first_.emplace(name, value_of(before));
  }

  void commit(const Txn& txn, bool is_shown) {
    at_ += kGap;
    Effects effects = effects_of(own_);
    tables_.put(effects, at_);
    std::size_t next = 0;
    for (const OwnWrites::Write& write : own_.all()) {
      if (write.handle >= kOwnRow && write.now == nullptr) continue;
      const Effect& effect = effects[next++];
      last_writer_[{effect.table.index, effect.row}] = {position_,
                                                        txn.log->line};
      const RowPtr& any = write.now != nullptr ? write.now : write.before;
      if (any == nullptr) continue;
      const std::string name = name_of(write.table, write.handle, *any);
      if (write.handle >= kOwnRow)
        labels_[{effect.table.index, effect.row}] = name;
      if (is_shown) continue;
      note_first(name, write.before);
      others_[name] =
          write.now == nullptr ? std::nullopt : std::optional(*write.now);
    }
  }

  void take_others(CoreTxn& to) {
    for (auto& [name, row] : others_) to.others.push_back(row_use(name, row));
    others_.clear();
  }

  /// "accounts(1)", or, without a primary key, "accounts(row 3)".
  std::string name_of(TableId table, std::uint64_t handle,
                      const sql::Row& row) {
    const std::string& name = tables_.schema().at(table).name;
    if (const sql::Row key = tables_.key_of(table, row); !key.empty())
      return name + row_text(key);
    if (handle < kOwnRow) {
      const auto label =
          labels_.find({table.index, static_cast<RowNumber>(handle)});
      if (label != labels_.end()) return label->second;
      return name + "(row " + std::to_string(handle + 1) + ")";
    }
    return name + "(new " + std::to_string(position_) + "." +
           std::to_string(handle - kOwnRow) + ")";
  }

  using RowId = std::pair<std::uint32_t, RowNumber>;

  const LoadedLog& log_;
  const Budget& budget_;
  NextIds ids_;
  Tables tables_;
  Places order_;
  std::map<std::uint64_t, CoreTxn*> shown_;  // by line
  OwnWrites own_;
  std::map<std::string, std::size_t> savepoints_;
  Position at_ = kSetup;
  std::size_t position_ = 0;
  std::map<std::string, std::optional<sql::Row>> others_;
  std::map<std::string, std::optional<sql::Row>> first_;
  std::set<std::string> told_;
  std::vector<std::uint64_t> ran_;
  std::map<RowId, std::string> labels_;  // of rows without a key
  std::map<RowId, std::pair<std::size_t, std::uint64_t>> last_writer_;
  std::set<std::pair<std::size_t, std::uint64_t>> writers_seen_;
};

bool tell(const LoadedLog& log, const Budget& budget,
          std::vector<CoreTxn>& shown, std::vector<RowUse>& begin,
          std::vector<std::uint64_t>* writers) {
  Story story(log, budget, shown);
  if (!story.run()) return false;
  begin = story.begin();
  story.forget_others();
  const auto place = [&](const CoreTxn& txn) {
    return std::find(story.ran().begin(), story.ran().end(), txn.line);
  };
  std::sort(
      shown.begin(), shown.end(),
      [&](const CoreTxn& a, const CoreTxn& b) { return place(a) < place(b); });
  if (writers != nullptr) *writers = story.last_writers();
  return true;
}

/// Those with these lines, as they stand in the log.
std::vector<CoreTxn> at_lines(const LoadedLog& log,
                              const std::set<std::uint64_t>& lines) {
  std::vector<CoreTxn> out;
  for (const Txn& txn : log.judged())
    if (lines.contains(txn.log->line)) out.push_back(core_txn(txn));
  return out;
}

}  // namespace

void tell_rows(const LoadedLog& log, const Budget& budget, Found& found) {
  if (log.judged().size() > kLongestLog) return;
  std::vector<CoreTxn>& shown =
      found.schedule.empty() ? found.around : found.schedule;
  std::vector<std::uint64_t> writers;
  if (found.schedule.empty()) {
    if (!found.first_bad) return;
    shown = at_lines(log, {found.first_bad->line});
    std::vector<CoreTxn> alone = shown;
    if (!tell(log, budget, alone, found.begin, &writers)) return;
    std::set<std::uint64_t> lines(writers.begin(), writers.end());
    lines.insert(found.first_bad->line);
    shown = at_lines(log, lines);
  }
  const std::vector<CoreTxn> untold = shown;
  if (tell(log, budget, shown, found.begin, nullptr)) return;
  shown = untold;
  found.begin.clear();
}

}  // namespace txscope::audit
