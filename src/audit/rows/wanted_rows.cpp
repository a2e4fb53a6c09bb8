#include "audit/rows/wanted_rows.h"

#include <algorithm>

#include "audit/search/search.h"

namespace txscope::audit {
namespace {

/// What was seen was made by one of so many writers before.
constexpr std::size_t kLast = 12;
/// What is shown weighs most; what leads to it in one step or two, less.
constexpr std::size_t kShown = 16;
constexpr std::size_t kStep = 4;

}  // namespace

WantedRows::WantedRows(const LoadedLog& log, const RowVersions& rows)
    : rows_(rows), writers_(rows.size()) {
  const auto& txns = log.judged();
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    if (txns[t].log->status == sql::LogStatus::Aborted) continue;
    for (const auto& [row, version] : rows.writes(t))
      writers_[row].push_back(
          {hint(*txns[t].log), &rows.version(row, version)});
    for (const PreparedPtr& p : txns[t].statements)
      has_calls_ = has_calls_ || p->is_call();
  }
  for (Writers& writers : writers_)
    std::stable_sort(
        writers.begin(), writers.end(),
        [](const Writer& a, const Writer& b) { return a.at < b.at; });
  for (std::uint32_t t = 0; t < txns.size(); ++t)
    for (std::size_t k = 0; k < txns[t].statements.size(); ++k) {
      const sql::LogTransaction& one = *txns[t].log;
      const std::int64_t until = one.statements[k].end.value_or(hint(one));
      for (const RowAccess& access : rows.accesses(t, k)) {
        if (access.kind != RowAccess::Kind::Seen) continue;
        const auto row = rows.find_row(access.table, access.key);
        if (!row) continue;
        for (const auto& [column, value] : access.columns)
          want(*row, column, value, until, kShown);
      }
    }
}

void WantedRows::want(std::uint32_t row, std::uint32_t column,
                      const sql::Value& value, std::int64_t until,
                      std::size_t weight) {
  const Writers& writers = writers_[row];
  const auto end = std::upper_bound(
      writers.begin(), writers.end(), until,
      [](std::int64_t at, const Writer& w) { return at < w.at; });
  if (end == writers.begin()) return;
  const auto count = std::min<std::size_t>(
      kLast, static_cast<std::size_t>(end - writers.begin()));
  const auto first = end - static_cast<std::ptrdiff_t>(count);
  wants_[{row, column}][value.hash()].push_back({first->at, until, weight});
  if (!has_calls_ || weight < kStep || value.kind() != sql::Kind::Integer)
    return;
  for (auto w = first; w != end; ++w) {
    const Change* change = change_of(w->version->columns, column);
    std::int64_t before = 0;
    if (change != nullptr && change->kind == Change::Kind::Add &&
        change->value.kind() == sql::Kind::Integer &&
        !__builtin_sub_overflow(value.integer(), change->value.integer(),
                                &before))
      want(row, column, sql::Value::integer(before), w->at - 1, weight / kStep);
  }
}

std::size_t WantedRows::count(const Tables& tables, const Effects& effects,
                              std::int64_t at) const {
  std::size_t sum = 0;
  for (const Effect& effect : effects) {
    if (effect.now == nullptr) continue;
    const auto row =
        rows_.find_row(effect.table, tables.key_of(effect.table, *effect.now));
    if (!row) continue;
    for (std::uint32_t c = 0; c < effect.now->size(); ++c) {
      const auto values = wants_.find({*row, c});
      if (values == wants_.end()) continue;
      const auto wants = values->second.find((*effect.now)[c].hash());
      if (wants == values->second.end()) continue;
      std::size_t most = 0;
      for (const Want& want : wants->second)
        if (want.from <= at && at <= want.until)
          most = std::max(most, want.weight);
      sum += most;
    }
  }
  return sum;
}

}  // namespace txscope::audit
