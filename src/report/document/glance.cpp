#include "report/document/glance.h"

#include <algorithm>

namespace txscope::report::document {
namespace {

constexpr std::size_t kMostDrawn = 50'000;  // of an overview
constexpr std::size_t kMostAround = 1'000;  // of what is around a finding
constexpr std::uint64_t kMargin = 100;      // transactions, on either side
constexpr std::size_t kMostShown = 4;       // operations

}  // namespace

Glance::Glance(const History& history, std::span<const Finding> findings)
    : history_(history) {
  for (const Finding& finding : findings)
    for (const Step& step : finding.steps)
      named_.emplace(step.transaction, kNone<TxnId>);
  for (std::size_t t = 1; t < history.size(); ++t)
    if (const auto it = named_.find(history.name(TxnId(t))); it != named_.end())
      it->second = TxnId(t);
  for (const Finding& finding : findings)
    for (const Step& step : finding.steps)
      part_of_.emplace(named_.at(step.transaction), finding.id);
  find_clock();
}

void Glance::find_clock() {
  std::int64_t last = 0;
  has_times_ = true;
  first_ = INT64_MAX;
  for (std::size_t t = 1; t < history_.size(); ++t) {
    const Txn txn = history_.at(TxnId(t));
    if (txn.start == Txn::kNoTime) {
      has_times_ = false;
      break;
    }
    first_ = std::min(first_, txn.start);
    last = std::max({last, txn.start, txn.end});
  }
  if (has_times_) {
    end_ = static_cast<std::uint64_t>(std::max<std::int64_t>(last - first_, 1));
    return;
  }
  std::uint32_t most = 0;
  for (std::size_t t = 1; t < history_.size(); ++t)
    most = std::max(most, history_.at(TxnId(t)).line);
  has_lines_ = most >= history_.size() / 2;
  end_ = has_lines_ ? most + 1 : history_.size();
}

Glance::Range Glance::range(TxnId t) const {
  const Txn txn = history_.at(t);
  if (has_times_)
    return {static_cast<std::uint64_t>(txn.start - first_),
            txn.end == Txn::kNoTime
                ? end_
                : static_cast<std::uint64_t>(txn.end - first_)};
  const std::uint64_t from = has_lines_ ? txn.line : t.index;
  return {from, from + 1};
}

Overview::Txn Glance::told(TxnId t) const {
  const Txn txn = history_.at(t);
  Overview::Txn out;
  out.name = history_.name(t);
  const Range own = range(t);
  out.from = own.from;
  out.to = own.to;
  std::size_t shown = 0;
  for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
    if (++shown > kMostShown) {
      out.text += " ..";
      break;
    }
    out.text += (shown > 1 ? " " : "") + history_.describe(OpId(i));
  }
  out.where = history_.where(t);
  if (const auto part = part_of_.find(t); part != part_of_.end())
    out.finding = part->second;
  out.is_aborted = txn.status != Status::Committed;
  return out;
}

Overview Glance::all() const {
  Overview out;
  out.has_times = has_times_;
  out.end = end_;
  std::size_t drawn = 0;
  for (std::size_t s = 0; s < history_.sessions().size(); ++s) {
    const txscope::Session& session = history_.sessions()[s];
    Overview::Lane& lane = out.lanes.emplace_back();
    lane.name = history_.name(SessionId(s));
    for (auto t = session.first.index; t < session.end.index; ++t) {
      if (++drawn > kMostDrawn)
        ++out.left_out;
      else
        lane.txns.push_back(told(TxnId(t)));
    }
  }
  return out;
}

std::optional<Overview> Glance::around(const Finding& finding) const {
  Range all{end_, 0};
  for (const Step& step : finding.steps) {
    const Range own = range(named_.at(step.transaction));
    all.from = std::min(all.from, own.from);
    all.to = std::max(all.to, own.to);
  }
  if (all.from > all.to) return std::nullopt;
  const std::uint64_t margin =
      std::max((all.to - all.from) / 2, end_ * kMargin / history_.size()) + 1;
  all.from -= std::min(all.from, margin);
  all.to = std::min(all.to + margin, end_);
  if (all.to - all.from > end_ / 2) return std::nullopt;
  return between(all, finding.id);
}

Overview Glance::between(Range wanted, const std::string& finding) const {
  Overview part;
  part.is_part = true;
  part.has_times = has_times_;
  part.end = wanted.to - wanted.from;
  std::size_t drawn = 0;
  for (std::size_t s = 0; s < history_.sessions().size(); ++s) {
    const txscope::Session& session = history_.sessions()[s];
    Overview::Lane lane;
    for (auto t = session.first.index; t < session.end.index; ++t) {
      const Range own = range(TxnId(t));
      if (own.to < wanted.from || own.from > wanted.to) continue;
      Overview::Txn txn = told(TxnId(t));
      if (txn.finding != finding) txn.finding.clear();
      if (txn.finding.empty() && ++drawn > kMostAround) {
        ++part.left_out;
        continue;
      }
      txn.from = std::max(own.from, wanted.from) - wanted.from;
      txn.to = std::min(own.to, wanted.to) - wanted.from;
      lane.txns.push_back(std::move(txn));
    }
    if (lane.txns.empty()) continue;
    lane.name = history_.name(SessionId(s));
    part.lanes.push_back(std::move(lane));
  }
  return part;
}

}  // namespace txscope::report::document
