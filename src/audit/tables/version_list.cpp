#include "audit/tables/version_list.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace txscope::audit {
namespace {

using sql::Value;

/// Shorter lists are looked through.
constexpr std::size_t kShort = 16;

/// Equal for values that is_same_value() holds equal; none: it may be equal to
/// values of whatever hash.
std::optional<std::uint64_t> meeting_hash(const Value& value) {
  switch (value.kind()) {
    case sql::Kind::Null: return 1;
    case sql::Kind::Integer: return value.hash();
    case sql::Kind::Text: break;
    default: return std::nullopt;
  }
  const std::string_view text = value.text();
  if (text.empty()) return value.hash();
  const char first = text.front();
  const bool is_number = (first >= '0' && first <= '9') || first == '-' ||
                         first == '+' || first == '.' || first == ' ';
  if (!is_number) return value.hash();
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() ||
      std::to_string(number) != text)
    return std::nullopt;
  return Value::integer(number).hash();
}

}  // namespace

const Change* change_of(const std::vector<Change>& changes,
                        std::uint32_t column) {
  for (const Change& change : changes)
    if (change.column == column) return &change;
  return nullptr;
}

bool fits(const RowVersion& version, const RowAccess& access,
          const ColumnRanges& ranges) {
  if (access.kind == RowAccess::Kind::Absent) return version.is_deleted;
  if (version.is_deleted) return false;
  for (const auto& [column, value] : access.columns) {
    const Change* change = change_of(version.columns, column);
    if (change != nullptr && change->kind == Change::Kind::Constant) {
      if (!is_same_value(change->value, value)) return false;
      continue;
    }
    if (column >= ranges.size() || !ranges[column]) continue;
    if (value.kind() != sql::Kind::Integer ||
        !ranges[column]->contains(value.integer()))
      return false;
  }
  return true;
}

std::uint32_t VersionList::add(RowVersion version) {
  const auto number = static_cast<std::uint32_t>(versions_.size());
  if (version.is_deleted) deleted_.push_back(number);
  versions_.push_back(std::move(version));
  return number;
}

const VersionList::ColumnIndex& VersionList::index(std::uint32_t column) const {
  const auto [found, is_new] = indexes_.try_emplace(column);
  ColumnIndex& index = found->second;
  if (!is_new) return index;
  for (std::uint32_t v = 0; v < versions_.size(); ++v) {
    if (versions_[v].is_deleted) continue;
    const Change* change = change_of(versions_[v].columns, column);
    std::optional<std::uint64_t> hash;
    if (change != nullptr && change->kind == Change::Kind::Constant)
      hash = meeting_hash(change->value);
    if (hash)
      index.set.emplace(*hash, v);
    else
      index.open.push_back(v);
  }
  return index;
}

void VersionList::each(
    const RowAccess& access, const ColumnRanges& ranges,
    const std::function<bool(const RowVersion&)>& on_version) const {
  const auto try_one = [&](std::uint32_t v) {
    return !fits(versions_[v], access, ranges) || on_version(versions_[v]);
  };
  if (access.kind == RowAccess::Kind::Absent) {
    (void)std::all_of(deleted_.begin(), deleted_.end(), try_one);
    return;
  }
  // The column that leaves fewest.
  const ColumnIndex* best = nullptr;
  std::uint64_t best_hash = 0;
  std::size_t fewest = versions_.size();
  if (versions_.size() > kShort) {
    for (const auto& [column, value] : access.columns) {
      const auto hash = meeting_hash(value);
      if (!hash) continue;
      const ColumnIndex& one = index(column);
      const std::size_t count = one.open.size() + one.set.count(*hash);
      if (count >= fewest) continue;
      fewest = count;
      best = &one;
      best_hash = *hash;
    }
  }
  if (best == nullptr) {
    for (std::uint32_t v = 0; v < versions_.size(); ++v)
      if (!try_one(v)) return;
    return;
  }
  const auto [first, last] = best->set.equal_range(best_hash);
  for (auto i = first; i != last; ++i)
    if (!try_one(i->second)) return;
  for (const std::uint32_t v : best->open)
    if (!try_one(v)) return;
}

}  // namespace txscope::audit
