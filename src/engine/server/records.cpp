#include "engine/server/records.h"

namespace txscope::engine {
namespace {

/// Fewer are copied sooner than shared.
constexpr std::size_t kMany = 64;

std::optional<Hash128> hash_of_numbers(std::span<const sql::Value> values) {
  Mixer mixer;
  for (const sql::Value& value : values) {
    if (value.kind() != sql::Kind::Integer) return std::nullopt;
    mixer.add(value.hash());
  }
  return mixer.done();
}

std::vector<sql::Value> values_of(const sql::Row& row,
                                  const AtRest::Columns& columns) {
  std::vector<sql::Value> values;
  for (const std::uint32_t c : columns) values.push_back(row[c]);
  return values;
}

}  // namespace

std::optional<std::size_t> AtRest::find(
    std::span<const sql::Value> values) const {
  const auto found = by_key.find(*hash_of_numbers(values));
  return found == by_key.end() ? std::nullopt : std::optional(found->second);
}

const Record& Records::operator[](std::size_t i) const {
  if (i >= first()) return later_[i - first()];
  const auto touched = touched_.find(i);
  return touched == touched_.end() ? rest_->records[i] : touched->second.record;
}

Record& Records::change(std::size_t i) {
  if (i >= first()) return later_[i - first()];
  const auto [touched, is_new] = touched_.try_emplace(i);
  Record& record = touched->second.record;
  if (!is_new) return record;
  record = rest_->records[i];
  hash_ -= rest_->hashes[i];
  rows_ -= record.committed()->hash;
  return record;
}

void Records::rest(AtRest::Columns key,
                   const std::function<Hash128(const Record&)>& hash) {
  if (later_.size() < kMany) return;
  auto rest = std::make_shared<AtRest>();
  rest->key = std::move(key);
  rest->records = std::move(later_);
  later_.clear();
  rest->hashes.reserve(rest->records.size());
  for (std::size_t i = 0; i < rest->records.size(); ++i) {
    const Record& record = rest->records[i];
    rest->hashes.push_back(hash(record));
    hash_ += rest->hashes.back();
    rows_ += record.committed()->hash;
    if (rest->key.empty()) continue;
    const auto number =
        hash_of_numbers(values_of(record.committed()->row, rest->key));
    if (number) {
      rest->by_key.emplace(*number, i);
    } else {
      rest->key.clear();
      rest->by_key.clear();
    }
  }
  rest_ = std::move(rest);
}

std::optional<std::size_t> Records::look_up(const Equal& equal,
                                            bool& is_known) const {
  if (rest_ == nullptr || rest_->key.empty()) return std::nullopt;
  std::vector<sql::Value> values;
  for (const std::uint32_t c : rest_->key) {
    const auto given =
        std::find_if(equal.begin(), equal.end(),
                     [c](const auto& one) { return one.first == c; });
    if (given == equal.end() || given->second.kind() != sql::Kind::Integer)
      return std::nullopt;
    values.push_back(given->second);
  }
  is_known = true;
  const auto found = rest_->find(values);
  return found && touched_.contains(*found) ? std::nullopt : found;
}

}  // namespace txscope::engine
