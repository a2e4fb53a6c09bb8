#include "audit/attempt/odometer.h"

#include <algorithm>

#include "audit/attempt/answer.h"
#include "exec/sql/value/compare.h"

namespace txscope::audit {
namespace {

bool may_be_wanted(const sql::Access& access, const sql::Row& row) {
  return std::all_of(
      access.equal.begin(), access.equal.end(), [&](const auto& wanted) {
        const sql::Value& value = row[wanted.first];
        return !value.is_null() && sql::compare(value, wanted.second) == 0;
      });
}

void add_once(std::vector<RowPtr>& options, const RowPtr& row) {
  const bool is_known =
      std::any_of(options.begin(), options.end(), [&](const RowPtr& other) {
        if (row == nullptr || other == nullptr) return row == other;
        return *row == *other;
      });
  if (!is_known) options.push_back(row);
}

}  // namespace

void Odometer::expect(std::vector<RowAccess> seen) {
  is_guided_ = true;
  expected_ = std::move(seen);
  for (const RowAccess& access : expected_)
    if (access.kind == RowAccess::Kind::Seen)
      seen_.emplace(access.key, &access);
}

bool Odometer::next() {
  chosen_.clear();
  const bool goes_on = choices_.next();
  // Options are the same as long as the choices before them are.
  wheels_.resize(std::min(wheels_.size(), choices_.size()));
  return goes_on;
}

Odometer::Wheel Odometer::wheel(const sql::Access& access,
                                RowNumber row) const {
  Wheel wheel;
  const auto& versions = tables_.versions(access.table, row);
  bool may_be_absent = versions.empty() || versions.front().at > since_;
  bool is_replaced = false;
  for (auto v = versions.rbegin(); v != versions.rend() && !is_replaced; ++v) {
    is_replaced = v->at <= since_;
    if (v->at > last_) continue;
    if (hidden_ != nullptr && hidden_->count(v->at) != 0) continue;
    if (v->row == nullptr)
      may_be_absent = true;
    else if (scans_once_ && !may_be_wanted(access, *v->row))
      wheel.unwanted = v->at;
    else
      add_once(wheel.options, v->row);
  }
  if (may_be_absent || wheel.unwanted || wheel.options.empty())
    add_once(wheel.options, nullptr);
  if (may_be_absent) wheel.unwanted.reset();
  if (is_guided_) wheel.options = shown(access.table, std::move(wheel.options));
  return wheel;
}

std::vector<RowPtr> Odometer::shown(TableId table,
                                    std::vector<RowPtr> options) const {
  if (options.front() == nullptr) return options;
  const auto [first, last] =
      seen_.equal_range(tables_.key_of(table, *options.front()));
  if (first == last) {
    // One that is not there is never shown.
    if (options.back() == nullptr) return {nullptr};
    return options;
  }
  std::vector<RowPtr> shown;
  for (const RowPtr& option : options) {
    const auto fits = [&](const auto& seen) {
      const auto& columns = seen.second->columns;
      return std::all_of(columns.begin(), columns.end(), [&](const auto& c) {
        return is_same_value((*option)[c.first], c.second);
      });
    };
    if (option != nullptr && std::any_of(first, last, fits))
      shown.push_back(option);
  }
  // Of two lives of one key one is not seen.
  if (options.back() == nullptr) shown.push_back(nullptr);
  // Nothing fits: any will fail.
  if (shown.empty()) shown.push_back(options.front());
  return shown;
}

RowPtr Odometer::choose(const sql::Access& access, RowNumber row) {
  const auto [known, is_new] = chosen_.try_emplace({access.table.index, row});
  Choice& choice = known->second;
  if (!is_new) return choice.row;
  const std::size_t number = choices_.made();
  if (number >= wheels_.size()) wheels_.resize(number + 1);
  if (wheels_[number].options.empty()) wheels_[number] = wheel(access, row);
  const Wheel& wheel = wheels_[number];
  choice = {wheel.options[choices_.choose(wheel.options.size())],
            wheel.unwanted};
  return choice.row;
}

}  // namespace txscope::audit
