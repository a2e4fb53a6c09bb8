#include "explore/leaf_judge.h"

#include <algorithm>
#include <set>

namespace txscope::explore {
namespace {

constexpr std::uint32_t kNoIndex = 0xffffffffu;

bool is_filtered(Base level) { return level > Base::Causal; }

template <std::size_t V, std::size_t W>
Bits<V> widen(const Bits<W>& bits) {
  static_assert(V >= W);
  Bits<V> out;
  std::copy_n(bits.word, W, out.word);
  return out;
}

}  // namespace

template <std::size_t W, std::size_t V>
LeafJudge<W, V>::LeafJudge(const exec::Script& script, Options options,
                           const Budget& budget, OnFinding on_finding,
                           OnHistory on_history)
    : script_(script),
      options_(std::move(options)),
      on_finding_(std::move(on_finding)),
      on_history_(std::move(on_history)),
      counts_(options_.levels.size()),
      key_index_(script.initial.size(), kNoIndex),
      decider_(budget),
      finals_(script.initial),
      locals_(script.instances.size()),
      scratch_(script.max_slots + 1),
      has_failed_(script.properties) {
  for (LevelCounts& counts : counts_) {
    counts.violating.resize(script.properties);
  }
  for (const exec::Script::Condition& condition : script.conditions) {
    needs_state_ |= condition.needs_state();
    std::vector<bool> mentions(script.initial.size());
    for (const std::uint32_t key : condition.keys) mentions[key] = true;
    mentions_.push_back(std::move(mentions));
  }
}

template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::leaf(const HistorySearch<W>& search) {
  const auto& h = search.history();
  // An execution ends at an error of the program, whatever other sessions
  // would have come to; then an assumption that fails discards all of it.
  Progress worst = Progress::Committed;
  for (const Progress p :
       {Progress::Cut, Progress::Discarded, Progress::Faulted}) {
    for (const std::uint16_t t : h.order) {
      if (h.progress[t] == p) worst = p;
    }
  }
  const bool is_complete = worst == Progress::Committed;
  if (is_complete) ++end_states_;
  if (!can_commit(search)) {
    for (LevelCounts& counts : counts_) counts.filtered += is_complete ? 1 : 0;
    return;
  }
  for (std::size_t i = 0; i < options_.levels.size(); ++i) {
    const Base level = options_.levels[i];
    LevelCounts& counts = counts_[i];
    const bool needs_decider =
        is_filtered(level) ||
        (is_complete && (needs_state_ || options_.observed != nullptr));
    bool accepted = !needs_decider || load(search, level);
    accepted = accepted && (!is_filtered(level) || decider_.solve());
    if (!accepted) {
      if (is_complete) ++counts.filtered;
      continue;
    }
    if (worst == Progress::Discarded) ++counts.discarded;
    if (worst == Progress::Cut) ++counts.cut;
    if (worst == Progress::Faulted) {
      ++counts.faulted;
      find_faults(search, i);
    }
    if (!is_complete) continue;
    ++counts.histories;
    if (on_history_) on_history_(search, level);
    find_failures(search, i);
    if (options_.observed != nullptr) observe(search, counts);
  }
  forget();
}

template <std::size_t W, std::size_t V>
bool LeafJudge<W, V>::can_commit(const HistorySearch<W>& search) {
  const auto& h = search.history();
  committed_.clear();
  for (const std::uint16_t t : h.order) {
    if (h.progress[t] == Progress::Committed)
      committed_.push_back(search.slots(t));
  }
  return search.runner().can_commit(committed_);
}

template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::forget() {
  for (const KeyId key : written_) key_index_[key.index] = kNoIndex;
  written_.clear();
  is_prepared_ = false;
}

/// Collects reads, writers and order of the leaf, once for all its levels.
template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::prepare(const HistorySearch<W>& search) {
  if (is_prepared_) return;
  is_prepared_ = true;
  const auto& h = search.history();
  input_.members.assign(h.order.begin(), h.order.end());
  input_.past.resize(script_.instances.size());
  input_.before.resize(script_.instances.size());
  written_.clear();
  input_.writers.clear();
  for (const std::uint16_t t : h.order) {
    input_.past[t] = widen<V>(h.past[t]);
    input_.before[t] = widen<V>(h.before[t]);
    if (h.progress[t] != Progress::Committed) continue;
    for (const auto& event : search.log(t)) {
      if (event.kind != EventKind::Write) continue;
      std::uint32_t& index = key_index_[event.key.index];
      if (index == kNoIndex) {
        index = static_cast<std::uint32_t>(written_.size());
        written_.push_back(event.key);
        input_.writers.emplace_back();
      }
      input_.writers[index].set(t);
    }
  }
  input_.reads.clear();
  for (const std::uint16_t t : h.order) {
    const std::size_t first = input_.reads.size();
    for (const auto& event : search.log(t)) {
      if (event.kind != EventKind::Read) continue;
      const std::uint32_t key = key_index_[event.key.index];
      if (key == kNoIndex) continue;  // nobody writes it
      const bool is_known = std::any_of(
          input_.reads.begin() + first, input_.reads.end(), [&](const auto& r) {
            return r.key == key && r.source == event.source;
          });
      if (!is_known) input_.reads.push_back({t, event.source, key});
    }
  }
}

template <std::size_t W, std::size_t V>
bool LeafJudge<W, V>::load(const HistorySearch<W>& search, Base level) {
  prepare(search);
  return decider_.load(input_, level);
}

template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::find_faults(const HistorySearch<W>& search,
                                  std::size_t level) {
  if (!on_finding_) return;
  const auto& h = search.history();
  for (const std::uint16_t t : h.order) {
    if (h.progress[t] != Progress::Faulted) continue;
    LeafFinding finding;
    finding.level = options_.levels[level];
    finding.instance = t;
    finding.pc = h.end_pc[t];
    on_finding_(search, finding);
  }
}

template <std::size_t W, std::size_t V>
bool LeafJudge<W, V>::skips(std::size_t level, PropertyId property) const {
  return !options_.counts_all && counts_[level].violating[property.index] > 0;
}

template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::find_failures(const HistorySearch<W>& search,
                                    std::size_t level) {
  if (has_failed_.empty()) return;
  std::fill(has_failed_.begin(), has_failed_.end(), 0);
  const auto& h = search.history();
  for (const std::uint16_t t : h.order) {
    const std::int64_t* slots = search.slots(t);
    for (std::uint32_t word = 0; word < script_.failed_words; ++word) {
      for (auto bits = static_cast<std::uint64_t>(slots[word]); bits != 0;
           bits &= bits - 1) {
        fail(search, level,
             PropertyId(word * 64u +
                        static_cast<unsigned>(std::countr_zero(bits))),
             std::nullopt);
      }
    }
  }
  if (script_.conditions.empty()) return;
  note_locals(search);
  for (std::size_t i = 0; i < script_.conditions.size(); ++i) {
    const exec::Script::Condition& condition = script_.conditions[i];
    if (has_failed_[condition.property.index]) continue;
    if (skips(level, condition.property)) continue;
    const bool fails =
        condition.needs_state() ? breaks(search, i) : is_false(i, search);
    if (fails) fail(search, level, condition.property, i);
  }
}

template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::note_locals(const HistorySearch<W>& search) {
  std::fill(locals_.begin(), locals_.end(), nullptr);
  for (const std::uint16_t t : search.history().order) {
    locals_[t] = search.slots(t);
  }
}

template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::fail(const HistorySearch<W>& search, std::size_t level,
                           PropertyId property,
                           std::optional<std::size_t> condition) {
  if (has_failed_[property.index]) return;
  has_failed_[property.index] = 1;
  ++counts_[level].violating[property.index];
  if (!on_finding_) return;
  LeafFinding finding;
  finding.level = options_.levels[level];
  finding.property = property;
  finding.condition = condition;
  on_finding_(search, finding);
}

template <std::size_t W, std::size_t V>
bool LeafJudge<W, V>::is_false(std::size_t condition,
                               const HistorySearch<W>& search) {
  return !search.runner().holds(condition, finals_, locals_.data(),
                                scratch_.data());
}

template <std::size_t W, std::size_t V>
std::optional<typename LeafJudge<W, V>::Witness> LeafJudge<W, V>::witness(
    const HistorySearch<W>& search, Base level,
    std::optional<std::size_t> invariant) {
  Witness out;
  witness_ = &out;
  note_locals(search);
  bool found = load(search, level);
  if (found && invariant) {
    found = decider_.solve() && breaks(search, *invariant);
  } else if (found && (found = decider_.solve(true))) {
    note_witness();
  }
  witness_ = nullptr;
  forget();
  if (!found) return std::nullopt;
  return out;
}

template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::note_witness() {
  const std::size_t n = script_.instances.size();
  witness_->precedes.assign(n, std::vector<bool>(n));
  for (const std::uint16_t a : input_.members) {
    witness_->precedes[0][a] = true;
    for (const std::uint16_t b : input_.members) {
      witness_->precedes[a][b] = a != b && decider_.precedes(a, b);
    }
  }
  witness_->finals = finals_;
}

/// Whether some order that shows the level ends in a state that breaks the
/// invariant.  The history has the level and is loaded.
template <std::size_t W, std::size_t V>
bool LeafJudge<W, V>::breaks(const HistorySearch<W>& search,
                             std::size_t condition) {
  open_.clear();
  for (std::uint32_t k = 0; k < written_.size(); ++k) {
    const KeyId key = written_[k];
    if (!mentions_[condition][key.index]) continue;
    const Bits<V> last = decider_.last_candidates(k);
    if (last.count() == 1) {
      finals_[key.index] = search.written(last.first(), key);
    } else {
      open_.push_back({k, last});
    }
  }
  const bool result = open_.empty() ? is_false(condition, search)
                                    : breaks_somewhere(search, condition);
  if (result && witness_ != nullptr && open_.empty()) {
    decider_.solve(true);
    note_witness();
  }
  for (const KeyId key : written_) {
    finals_[key.index] = script_.initial[key.index];
  }
  return result;
}

/// Tries the last writers of the keys that have several candidates, one key
/// after the other.
template <std::size_t W, std::size_t V>
bool LeafJudge<W, V>::breaks_somewhere(const HistorySearch<W>& search,
                                       std::size_t condition) {
  for (std::size_t depth = 0;;) {
    if (depth == open_.size()) {
      if (is_false(condition, search) && decider_.solve(witness_ != nullptr)) {
        if (witness_ != nullptr) note_witness();
        for (; depth > 0; --depth) decider_.pop();
        return true;
      }
      --depth;
      decider_.pop();
      continue;
    }
    Open& open = open_[depth];
    if (open.left.none()) {
      if (depth == 0) return false;
      --depth;
      decider_.pop();
      continue;
    }
    const std::size_t writer = open.left.first();
    open.left.reset(writer);
    if (!decider_.push_last(open.key, writer)) {
      decider_.pop();
      continue;
    }
    const KeyId key = written_[open.key];
    finals_[key.index] = search.written(writer, key);
    if (++depth < open_.size()) {
      open_[depth].left = decider_.last_candidates(open_[depth].key);
    }
  }
}

/// Every way in which the history can end at the level, as far as it is seen.
template <std::size_t W, std::size_t V>
void LeafJudge<W, V>::observe(const HistorySearch<W>& search,
                              LevelCounts& counts) {
  note_locals(search);
  SeenOutcome seen = options_.observed->locals(locals_.data());
  const std::size_t first_key = seen.size();
  std::vector<std::uint32_t> open;  // indices of keys with several last writers
  for (std::uint32_t k = 0; k < written_.size(); ++k) {
    const KeyId key = written_[k];
    if (!options_.observed->sees(key)) continue;
    const Bits<V> last = decider_.last_candidates(k);
    if (last.count() == 1)
      finals_[key.index] = search.written(last.first(), key);
    else
      open.push_back(k);
  }
  std::set<SeenOutcome> ends;
  const auto go = [&](auto&& self, std::size_t depth) -> void {
    if (depth == open.size()) {
      if (depth > 0 && !decider_.solve()) return;
      seen.resize(first_key);
      for (const std::uint32_t key : options_.observed->keys)
        seen.emplace_back(finals_[key]);
      ends.insert(seen);
      return;
    }
    const KeyId key = written_[open[depth]];
    Bits<V> left = decider_.last_candidates(open[depth]);
    while (!left.none()) {
      const std::size_t writer = left.first();
      left.reset(writer);
      if (decider_.push_last(open[depth], writer)) {
        finals_[key.index] = search.written(writer, key);
        self(self, depth + 1);
      }
      decider_.pop();
    }
  };
  go(go, 0);
  for (const SeenOutcome& end : ends) ++counts.outcomes[end];
  for (const KeyId key : written_)
    finals_[key.index] = script_.initial[key.index];
}

template class LeafJudge<1, 1>;
template class LeafJudge<1, 2>;
template class LeafJudge<64, 128>;

}  // namespace txscope::explore
