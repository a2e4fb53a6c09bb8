#include "audit/tables/state_stack.h"

#include <algorithm>

namespace txscope::audit {
namespace {

/// The versions that effects make, by the numbers of their rows.
std::uint64_t versions_hash(const Effects& effects) {
  std::uint64_t sum = 0;
  for (const Effect& e : effects) {
    std::uint64_t h = mixed(e.table.index, e.row);
    if (e.now != nullptr)
      for (const sql::Value& v : *e.now) h = mixed(h, v.hash());
    sum += mixed(h, e.now != nullptr ? 1 : 0);
  }
  return sum;
}

}  // namespace

StateStack::StateStack(const Tables& initial)
    : tables_(initial), points_{kSetup}, marks_{{tables_.state_hash(), 0, 0}} {}

std::size_t StateStack::index_of(Position at) const {
  return static_cast<std::size_t>(
      std::lower_bound(points_.begin(), points_.end(), at) - points_.begin());
}

void StateStack::put(Effects& effects) {
  const Position at = last() + kGap;
  const std::uint64_t keys = keys_hash(effects);
  tables_.put(effects, at);
  points_.push_back(at);
  versions_ += versions_hash(effects);
  marks_.push_back({tables_.state_hash(), keys, versions_});
}

void StateStack::undo(const Effects& effects) {
  tables_.undo(effects, last());
  points_.pop_back();
  marks_.pop_back();
  versions_ = marks_.back().versions;
}

/// The rows that effects write, by their keys: which number a row has depends
/// on how it came to be.  Before they are put.
std::uint64_t StateStack::keys_hash(const Effects& effects) const {
  std::uint64_t sum = 0;
  for (const Effect& e : effects) {
    std::uint64_t h = mixed(e.table.index, e.is_new ? 1 : 0);
    const RowPtr* old =
        e.is_new ? nullptr : tables_.visible(e.table, e.row, last());
    const RowPtr& row = old != nullptr ? *old : e.now;
    const sql::Row key =
        row != nullptr ? tables_.key_of(e.table, *row) : sql::Row();
    if (key.empty()) h = mixed(h, e.is_new ? 0 : e.row);
    for (const sql::Value& v : key) h = mixed(h, v.hash());
    sum += mixed(h, e.now != nullptr ? 1 : 0);
  }
  return sum;
}

std::uint64_t StateStack::since(std::size_t first) const {
  std::uint64_t h = mixed(0, marks_[first].state);
  for (std::size_t i = first + 1; i < marks_.size(); ++i)
    h = mixed(mixed(h, marks_[i].state), marks_[i].keys);
  return h;
}

}  // namespace txscope::audit
