#include "analyze/arguments/row_search.h"

#include <algorithm>
#include <utility>

#include "analyze/arguments/arguments.h"

namespace txscope::analyze {
namespace {

constexpr std::size_t kMostTrials = 300;
constexpr std::int64_t kMadeRows = 2;  // of a table that are changed

class RowSearch {
 public:
  RowSearch(const std::vector<TransactionType>& types,
            const sql::Application& application, const Budget& budget)
      : types_(types),
        application_(application),
        budget_(budget),
        rows_(types, application, budget) {}

  RowPlan run() {
    const auto made = rows_.make({});
    if (!made || made->tables.empty()) return {};
    tables_ = made->tables;
    for (const TransactionType& type : types_)
      reached_.push_back(reach(type, made->database));
    for (std::size_t t = 0; t < types_.size(); ++t)
      while (!reached_[t].is_end() && goes_on() && bring_further(t)) {
      }
    return std::move(plan_);
  }

 private:
  /// How far a transaction comes with the best of its arguments.
  struct Reach {
    enum class Kind { Nowhere, Fails, Commits, Changes };
    Kind kind = Kind::Nowhere;
    std::uint32_t offset = 0;  ///< of the statement that fails

    friend auto operator<=>(const Reach&, const Reach&) = default;
    [[nodiscard]] bool is_end() const { return kind == Kind::Changes; }
  };

  [[nodiscard]] bool goes_on() const {
    return trials_ < kMostTrials && !budget_.spent_now();
  }

  [[nodiscard]] Reach reach(const TransactionType& type,
                            const sql::MemoryDatabase& rows) const {
    Reach best;
    if (!type.not_checked.empty()) return {Reach::Kind::Changes, 0};
    for (const Arguments& one :
         choose_arguments(application_, type.routine, rows, budget_)) {
      sql::MemoryDatabase database = rows;
      const auto ran =
          database.run(call_with(application_, type.routine, one), budget_);
      Reach here;
      if (ran.kind == sql::Request::Kind::Returned)
        here.kind =
            database == rows ? Reach::Kind::Commits : Reach::Kind::Changes;
      else
        here = {Reach::Kind::Fails, ran.process.at().offset};
      best = std::max(best, here);
    }
    return best;
  }

  /// One value that brings a transaction further.
  bool bring_further(std::size_t t) {
    for (const TableId table : tables_) {
      if (!types_[t].footprint.reads[table.index]) continue;
      const auto columns = application_.schema.at(table).columns.size();
      for (std::uint32_t c = 0; c < columns; ++c)
        for (const sql::Value& value : rows_.alternatives({table, c}))
          for (std::int64_t row = 1; row <= kMadeRows; ++row)
            if (goes_on() && is_better(t, {table, c}, row, value)) return true;
    }
    return false;
  }

  bool is_better(std::size_t t, ColumnRef column, std::int64_t row,
                 const sql::Value& value) {
    const sql::Table& table = application_.schema.at(column.table);
    RowPlan plan = plan_;
    plan[{table.name, row, table.columns[column.column].name}] = value;
    ++trials_;
    const auto made = rows_.make(plan);
    if (!made || made->tables != tables_) return false;
    const Reach mine = reach(types_[t], made->database);
    if (!(mine > reached_[t])) return false;
    std::vector<Reach> all = reached_;
    all[t] = mine;
    for (std::size_t other = 0; other < types_.size(); ++other) {
      if (other == t || !types_[other].footprint.reads[column.table.index])
        continue;
      all[other] = reach(types_[other], made->database);
      if (all[other] < reached_[other]) return false;
    }
    reached_ = std::move(all);
    plan_ = std::move(plan);
    return true;
  }

  const std::vector<TransactionType>& types_;
  const sql::Application& application_;
  const Budget& budget_;
  const MadeUpRows rows_;
  std::vector<TableId> tables_;  ///< that got rows
  std::vector<Reach> reached_;   ///< by type
  RowPlan plan_;
  std::size_t trials_ = 0;
};

}  // namespace

RowPlan search_rows(const std::vector<TransactionType>& types,
                    const sql::Application& application, const Budget& budget) {
  return RowSearch(types, application, budget).run();
}

}  // namespace txscope::analyze
