#include "generate/workload.h"

namespace txscope::generate {
namespace {

Error wrong(std::string what, std::string hint) {
  return Error{{}, std::move(what), std::move(hint), ""};
}

bool is_share(double x) { return x >= 0 && x <= 1; }

}  // namespace

Result<Done> check_workload(const SimulatedLoad& w) {
  if (w.sessions == 0)
    return wrong("there are no sessions", "ask for at least one session");
  if (w.keys == 0)
    return wrong("there are no keys", "ask for at least one key");
  if (w.min_operations == 0 || w.min_operations > w.max_operations)
    return wrong("the range of operations per transaction is empty",
                 "it starts at 1 or more and does not end before it starts");
  if (static_cast<std::uint64_t>(w.transactions) * w.max_operations >
      0xf0000000ull)
    return wrong("the history would have more than 4,026,531,840 operations",
                 "ask for fewer transactions or operations");
  if (!is_share(w.read_share))
    return wrong("the share of reads is not between 0 and 1", "");
  if (!is_share(w.aborted_share) || !is_share(w.unknown_share) ||
      w.aborted_share + w.unknown_share > 1)
    return wrong("the shares of aborted and unknown transactions do not fit",
                 "each is at least 0, and their sum is at most 1");
  if (w.key_choice.kind == KeyChoice::Kind::Zipf &&
      !(w.key_choice.exponent >= 0 && w.key_choice.exponent <= 10))
    return wrong("the zipf exponent is not between 0 and 10", "");
  if (!is_share(w.key_choice.hot_keys) || !is_share(w.key_choice.hot_share))
    return wrong("a share of the hotspot is not between 0 and 1", "");
  if (w.kind == KeyKind::List && w.max_list_length == 0)
    return wrong("lists have no room for an element",
                 "ask for a list length of at least 1");
  return Done{};
}

Planner::Planner(const SimulatedLoad& workload, Random& random)
    : workload_(workload),
      random_(random),
      picker_(workload.keys, workload.key_choice) {
  if (workload_.kind == KeyKind::Register) return;
  for (; next_key_ < workload_.keys; ++next_key_)
    slot_key_.push_back(next_key_);
  slot_length_.assign(workload_.keys, 0);
}

void Planner::plan(std::vector<SimulatedOp>& ops, Fate& fate) {
  const bool lists = workload_.kind == KeyKind::List;
  ops.resize(static_cast<std::size_t>(
      random_.between(workload_.min_operations, workload_.max_operations)));
  for (SimulatedOp& op : ops) {
    const bool reads = random_.chance(workload_.read_share);
    op.key = picker_.pick(random_);
    if (lists) op.key = list_slot_to_key(op.key, !reads);
    if (reads)
      op.kind = lists ? OpKind::ReadList : OpKind::Read;
    else
      op.kind = lists ? OpKind::Append : OpKind::Write;
    op.value = reads ? 0 : fresh_value();
  }
  const double draw = random_.real();
  if (draw < workload_.aborted_share)
    fate = Fate::Aborts;
  else if (draw < workload_.aborted_share + workload_.unknown_share)
    fate = random_.chance(0.5) ? Fate::Vanishes : Fate::CommitsUnseen;
  else
    fate = Fate::Commits;
}

std::int64_t Planner::fresh_value() {
  if (workload_.distinct_values == 0) return ++last_value_;
  return static_cast<std::int64_t>(random_.below(workload_.distinct_values));
}

std::uint32_t Planner::list_slot_to_key(std::uint32_t slot, bool appends) {
  if (slot_length_[slot] >= workload_.max_list_length) {
    slot_length_[slot] = 0;
    slot_key_[slot] = next_key_++;
  }
  if (appends) ++slot_length_[slot];
  return slot_key_[slot];
}

}  // namespace txscope::generate
