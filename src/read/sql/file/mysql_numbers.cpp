// AUTO_INCREMENT goes on behind the largest number that a row was given.

#include <algorithm>
#include <string>

#include "read/sql/file/reader.h"

namespace txscope::sql {
namespace {

/// The column that numbers itself.
std::optional<std::uint32_t> numbered_column(const Table& table) {
  for (std::uint32_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].sequence) return c;
  return std::nullopt;
}

}  // namespace

/// The last statement of the setup: whether it gives numbers, or takes some.
void FileReader::note_numbers() {
  const auto* insert = std::get_if<Insert>(&application_.setup.back().what);
  if (source_.mysql() == nullptr || insert == nullptr) return;
  const TableId table = insert->target.table;
  const auto column = numbered_column(catalog_.schema.at(table));
  if (!column) return;
  const auto found =
      std::find(insert->columns.begin(), insert->columns.end(), *column);
  const auto place = static_cast<std::size_t>(found - insert->columns.begin());
  const bool is_named = found != insert->columns.end();
  const auto takes = [&](const auto& row) { return !row[place]; };
  const bool takes_some =
      !is_named || std::any_of(insert->rows.begin(), insert->rows.end(), takes);
  if (takes_some) settle_numbers(application_.setup.size() - 1);
  if (is_named) given_numbers_.insert(table.index);
}

/// From statement `before` of the setup on, tables whose rows were given
/// numbers go on behind them.
void FileReader::settle_numbers(std::size_t before) {
  for (const std::uint32_t number : std::exchange(given_numbers_, {})) {
    const Table& table = catalog_.schema.tables[number];
    const auto column = numbered_column(table);
    const bool is_there =
        catalog_.table(table.name) == std::optional(TableId(number));
    if (!column || !is_there) continue;
    SetupStep step;
    step.before = before;
    step.sequence = *table.columns[*column].sequence;
    const Sequence& sequence = catalog_.schema.sequences[step.sequence];
    std::int64_t least = sequence.start - sequence.increment;
    if (const auto set = next_numbers_.find(step.sequence);
        set != next_numbers_.end())
      least = std::max(least, set->second - sequence.increment);
    const std::string least_text =
        std::to_string(std::max<std::int64_t>(0, least));
    const std::string text = "SELECT GREATEST(COALESCE(MAX(`" +
                             table.columns[*column].name + "`), " + least_text +
                             "), " + least_text + ") FROM `" + table.name + "`";
    const std::uint32_t offset = source_.append(text, table.at);
    const Tokens tokens = scan(source_, text, offset);
    const Tree tree = parse_statement(source_, tokens.list, text, offset);
    step.value = Analyzer(tree, catalog_, nullptr).statement();
    application_.steps.push_back(std::move(step));
  }
}

}  // namespace txscope::sql
