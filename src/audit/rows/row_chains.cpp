#include "audit/rows/row_chains.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace txscope::audit {
namespace {

using sql::LogStatus;
using sql::Value;
using Access = RowAccess::Kind;

/// A value of a column of whole numbers; none: it is not known.
std::optional<std::int64_t> number_of(const Value& value) {
  if (value.kind() == sql::Kind::Integer) return value.integer();
  if (value.kind() != sql::Kind::Text) return std::nullopt;
  std::int64_t number = 0;
  const std::string_view text = value.text();
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

bool is_whole(const sql::Column& column) {
  return column.type.name == sql::TypeName::SmallInt ||
         column.type.name == sql::TypeName::Integer ||
         column.type.name == sql::TypeName::BigInt;
}

/// One column of one row: who saw which value and wrote the row then, and how
/// many versions had it.
struct Chain {
  struct Use {
    std::vector<std::uint32_t> readers;
    std::uint64_t versions = 0;
  };
  std::map<std::int64_t, Use> uses;
  std::uint64_t unknown = 0;  ///< versions of unknown value
};

class Chains {
 public:
  Chains(const LoadedLog& log, const RowVersions& rows)
      : log_(log), rows_(rows) {
    for (std::uint32_t t = 0; t < log.judged().size(); ++t)
      if (log.judged()[t].log->status != LogStatus::Aborted) add(t);
  }

  [[nodiscard]] std::optional<LostUpdate> lost() const {
    std::optional<LostUpdate> first;
    for (const auto& [place, chain] : chains_) {
      const auto& [row, column] = place;
      std::uint64_t versions_missing = 0;
      const std::pair<const std::int64_t, Chain::Use>* worst = nullptr;
      for (const auto& use : chain.uses) {
        const std::uint64_t there =
            use.second.versions + initial(row, column, use.first);
        if (use.second.readers.size() <= there) continue;
        versions_missing += use.second.readers.size() - there;
        worst = &use;
      }
      if (versions_missing == 0 ||
          versions_missing <= chain.unknown + rows_.open_writes(row))
        continue;
      LostUpdate found = told(row, column, *worst);
      // The one that is complete first is the one to tell.
      if (!first || found.txns.back() < first->txns.back())
        first = std::move(found);
    }
    return first;
  }

 private:
  void add(std::uint32_t t) {
    const Txn& txn = log_.judged()[t];
    const sql::Schema& schema = log_.initial().schema();
    std::map<std::pair<std::uint32_t, std::uint32_t>, Value> seen;
    std::map<std::uint32_t, std::uint32_t> written;  // row to last version
    std::set<std::uint32_t> inserted;  // first of all: another life of the key
    std::vector<bool> is_unclear(schema.tables.size(), false);
    std::size_t next = 0;
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      if (txn.is_opaque[k]) continue;
      for (const RowAccess& access : rows_.accesses(t, k)) {
        if (is_wild(access.kind)) {
          is_unclear[access.table.index] = true;
        } else if (is_write(access.kind)) {
          const auto& [row, version] = rows_.writes(t)[next++];
          if (written.count(row) == 0 && rows_.version(row, version).is_insert)
            inserted.insert(row);
          written[row] = version;
        } else if (access.kind == Access::Seen &&
                   !is_unclear[access.table.index]) {
          const auto row = rows_.find_row(access.table, access.key);
          if (!row || written.count(*row) != 0) continue;
          for (const auto& [column, value] : access.columns)
            if (is_whole(schema.at(access.table).columns[column]))
              seen.try_emplace({*row, column}, value);
        }
      }
    }
    for (const auto& [row, v] : written)
      add_version(t, row, v, seen, inserted.count(row) != 0);
  }

  void add_version(
      std::uint32_t t, std::uint32_t row, std::uint32_t v,
      const std::map<std::pair<std::uint32_t, std::uint32_t>, Value>& seen,
      bool is_new_life) {
    const RowVersion& version = rows_.version(row, v);
    if (version.is_void) return;
    const auto& columns = log_.initial().schema().at(rows_.table(row)).columns;
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
      if (!is_whole(columns[c])) continue;
      Chain& chain = chains_[{row, c}];
      std::optional<std::int64_t> read;
      if (const auto found = seen.find({row, c}); found != seen.end())
        read = number_of(found->second);
      const bool is_certain =
          version.is_certain &&
          log_.judged()[t].log->status == LogStatus::Committed;
      if (read && is_certain && !is_new_life)
        chain.uses[*read].readers.push_back(t);
      if (version.is_deleted) continue;
      if (const auto left = value_after(version, c, read))
        ++chain.uses[*left].versions;
      else
        ++chain.unknown;
    }
  }

  static std::optional<std::int64_t> value_after(
      const RowVersion& version, std::uint32_t column,
      std::optional<std::int64_t> read) {
    const Change* change = change_of(version.columns, column);
    if (!version.is_certain) return std::nullopt;
    if (change == nullptr) return read;
    if (change->kind == Change::Kind::Constant) return number_of(change->value);
    if (change->kind == Change::Kind::Unknown || !read ||
        change->value.kind() != sql::Kind::Integer)
      return std::nullopt;
    std::int64_t sum = 0;
    if (__builtin_add_overflow(*read, change->value.integer(), &sum))
      return std::nullopt;
    return sum;
  }

  /// How many versions of the setup's had the value: none or one.
  [[nodiscard]] std::uint64_t initial(std::uint32_t row, std::uint32_t column,
                                      std::int64_t value) const {
    const RowVersion* first = rows_.initial(row);
    if (first == nullptr) return 0;
    const Change* change = change_of(first->columns, column);
    return change != nullptr && number_of(change->value) == value ? 1 : 0;
  }

  [[nodiscard]] LostUpdate told(
      std::uint32_t row, std::uint32_t column,
      const std::pair<const std::int64_t, Chain::Use>& use) const {
    const sql::Table& table = log_.initial().schema().at(rows_.table(row));
    const std::uint64_t there =
        use.second.versions + initial(row, column, use.first);
    std::string key_text;
    for (const Value& value : rows_.key(row))
      key_text += (key_text.empty() ? "" : ",") + to_string(value);
    LostUpdate lost;
    lost.txns = use.second.readers;
    lost.why = "lost update: " + std::to_string(lost.txns.size()) +
               " transactions saw " + table.columns[column].name + " = " +
               std::to_string(use.first) + " in row " + key_text + " of " +
               table.name + " and wrote the row, which had this value " +
               (there == 0   ? "never"
                : there == 1 ? "only once"
                             : "only " + std::to_string(there) + " times");
    return lost;
  }

  const LoadedLog& log_;
  const RowVersions& rows_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Chain> chains_;
};

}  // namespace

std::optional<LostUpdate> find_lost_update(const LoadedLog& log,
                                           const RowVersions& rows, Rule rule) {
  if (rule != Rule::Serializable && rule != Rule::Snapshot &&
      rule != Rule::PostgresRepeatableRead)
    return std::nullopt;
  return Chains(log, rows).lost();
}

}  // namespace txscope::audit
