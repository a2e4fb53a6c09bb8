#include "robust/notions.h"

#include <algorithm>
#include <map>

#include "explore/decider.h"
#include "robust/dependence.h"

namespace txscope::robust {
namespace {

using EventKind = explore::ExploredHistory::Event::Kind;

/// A history as deciders want it.
template <std::size_t V>
struct Loaded {
  explore::DeciderInput<V> input;
  std::vector<KeyId> keys;  // by index into input.writers
};

template <std::size_t V>
void close(std::vector<explore::Bits<V>>& before,
           const std::vector<std::uint16_t>& members) {
  for (const std::uint16_t via : members) {
    for (const std::uint16_t t : members) {
      if (before[t].test(via)) before[t] |= before[via];
    }
  }
}

/// What a level forces by a premise that does not mention the commit order:
/// t2 before t1 for every read in t3 from t1 of something t2 writes, too.
template <std::size_t V>
void force(const exec::Script& script, const explore::ExploredHistory& history,
           Base level, const std::map<std::uint32_t, std::uint32_t>& index,
           Loaded<V>& out) {
  auto& input = out.input;
  input.before = input.past;
  if (level == Base::ReadCommitted) return;
  for (const auto& txn : history.txns) {
    const std::size_t t3 = txn.instance.index;
    explore::Bits<V> sources;  // read so far, or at all
    if (level == Base::ReadAtomic) {
      for (const auto& event : txn.events) {
        if (event.kind == EventKind::Read) sources.set(event.source.index);
      }
      for (const auto& other : history.txns) {
        if (other.instance < txn.instance &&
            script.instances[other.instance.index].session ==
                script.instances[t3].session) {
          sources.set(other.instance.index);
        }
      }
    }
    for (const auto& event : txn.events) {
      if (event.kind != EventKind::Read) continue;
      const auto key = index.find(event.key.index);
      if (key != index.end()) {
        const explore::Bits<V>& seen =
            level == Base::MonotonicAtomicView || level == Base::ReadAtomic
                ? sources
                : input.past[t3];
        explore::Bits<V> earlier = seen & input.writers[key->second];
        earlier.reset(event.source.index);
        earlier.reset(t3);
        input.before[event.source.index] |= earlier;
      }
      sources.set(event.source.index);
    }
  }
  close(input.before, input.members);
}

template <std::size_t V>
Loaded<V> load(const exec::Script& script,
               const explore::ExploredHistory& history, Base level) {
  Loaded<V> out;
  auto& input = out.input;
  input.past.resize(script.instances.size());
  std::map<std::uint32_t, std::uint32_t> index;  // of keys
  for (const auto& txn : history.txns) {
    const std::size_t t = txn.instance.index;
    input.members.push_back(static_cast<std::uint16_t>(t));
    input.past[t].set(0);
    for (const auto& event : txn.events) {
      if (event.kind == EventKind::Read) input.past[t].set(event.source.index);
      if (event.kind != EventKind::Write || !txn.is_committed) continue;
      const auto [at, is_new] = index.try_emplace(
          event.key.index, static_cast<std::uint32_t>(out.keys.size()));
      if (is_new) {
        out.keys.push_back(event.key);
        input.writers.emplace_back();
      }
      input.writers[at->second].set(t);
    }
    for (const auto& other : history.txns) {
      if (other.instance < txn.instance &&
          script.instances[other.instance.index].session ==
              script.instances[t].session) {
        input.past[t].set(other.instance.index);
      }
    }
  }
  close(input.past, input.members);
  for (const auto& txn : history.txns) {
    for (const auto& event : txn.events) {
      if (event.kind != EventKind::Read) continue;
      const auto at = index.find(event.key.index);
      if (at == index.end()) continue;
      const auto reader = static_cast<std::uint16_t>(txn.instance.index);
      const auto source = static_cast<std::uint16_t>(event.source.index);
      const bool is_known = std::any_of(
          input.reads.begin(), input.reads.end(), [&](const auto& read) {
            return read.reader == reader && read.source == source &&
                   read.key == at->second;
          });
      if (!is_known) input.reads.push_back({reader, source, at->second});
    }
  }
  force(script, history, level, index, out);
  return out;
}

template <std::size_t V>
class NotionJudge : public HistoryJudge {
 public:
  NotionJudge(const exec::Script& script, JudgeQuestion question,
              const Budget& budget)
      : script_(script),
        question_(std::move(question)),
        base_(question_.level),
        notion_(question_.notion),
        budget_(budget),
        lens_(make_lens(script, question_.loop_bound, budget)),
        level_(budget),
        serial_(budget) {}

  std::optional<Execution> find_odd(
      const explore::ExploredHistory& history) override {
    history_ = &history;
    loaded_ = load<V>(script_, history, base_);
    found_.reset();
    if (!level_.load(loaded_.input, base_)) return std::nullopt;
    const bool is_serial =
        serial_.load(loaded_.input, Base::Serializable) && serial_.solve();
    if (budget_.reason() != Spent::Nothing) return std::nullopt;
    switch (notion_) {
      case Notion::History:
        if (is_serial) break;
        if (is_by_rows()) {
          keep();
        } else {
          order_pairs(0, 0, false);
        }
        break;
      case Notion::Trace:
        if (is_serial || !is_by_rows()) {
          order_pairs(0, 0, is_serial);
        } else {
          keep();
        }
        break;
      case Notion::View:
        if (!is_by_rows()) {
          order_pairs(0, 0, is_serial);
        } else if (is_serial) {
          order_last(0, true);
        } else {
          keep();
        }
        break;
      case Notion::Outcome:
      case Notion::State:
        finals_ = script_.initial;
        order_last(0, is_serial);
        break;
    }
    // An answer "impossible" may be due to the budget.
    if (budget_.reason() != Spent::Nothing) return std::nullopt;
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_by_rows() const {
    return question_.granularity == Granularity::Row;
  }

  /// Orders pairs of writers from a pair on, in every way that the level
  /// allows, until serializable does not; by columns and results to the end.
  void order_pairs(std::uint32_t key, std::size_t after, bool is_serial) {
    if (found_ || budget_.spent()) return;
    std::size_t first = 0;
    std::size_t second = 0;
    if (!next_open(key, after, first, second)) {
      if (!is_serial) keep_if_odd();
      return;
    }
    for (const auto& [a, b] :
         {std::pair(first, second), std::pair(second, first)}) {
      if (found_) return;
      if (level_.push_order(key, a, b) && level_.solve()) {
        const bool pushed = is_serial;
        const bool still =
            pushed && serial_.push_order(key, a, b) && serial_.solve();
        if (still || !is_by_rows()) {
          order_pairs(key, after, still);
        } else {
          keep();
        }
        if (pushed) serial_.pop();
      }
      level_.pop();
    }
  }

  /// Some serial execution has the same reads-from, by rows or by what counts.
  [[nodiscard]] bool has_serial_reads(const Execution& execution,
                                      Dependence& dependence) const {
    const auto reads =
        reads_from(script_, execution, dependence, question_.granularity,
                   notion_ == Notion::View);
    return std::any_of(reads.begin(), reads.end(), [&](const Shown& shown) {
      return question_.serial_reads().contains(shown);
    });
  }

  /// All writers are ordered, and no serial order has these reads and writes of
  /// rows: whether none has what of them counts.
  void keep_if_odd() {
    auto execution = current();
    if (!execution) return;
    Dependence dependence(script_, *history_, *lens_, question_.granularity);
    const bool is_odd =
        notion_ == Notion::Trace
            ? !find_cycle(script_, *execution, &dependence).empty()
            : !has_serial_reads(*execution, dependence);
    if (is_odd) found_ = std::move(execution);
  }

  /// The next pair that the level leaves open; false if there is none.
  bool next_open(std::uint32_t& key, std::size_t& after, std::size_t& first,
                 std::size_t& second) const {
    const auto& writers = loaded_.input.writers;
    for (; key < writers.size(); ++key, after = 0) {
      bool found = false;
      writers[key].for_each([&](std::size_t a) {
        writers[key].for_each([&](std::size_t b) {
          if (found || a >= b || a < after || level_.is_ordered(a, b) ||
              level_.is_ordered(b, a)) {
            return;
          }
          found = true;
          first = a;
          second = b;
        });
      });
      if (found) {
        after = first;
        return true;
      }
    }
    return false;
  }

  /// Chooses the last writer of a row and of all that follow.
  void order_last(std::uint32_t key, bool is_serial) {
    if (found_ || budget_.spent()) return;
    if (key == loaded_.keys.size()) {
      if (!is_serial && is_new_to_serial_runs()) keep();
      return;
    }
    level_.last_candidates(key).for_each([&](std::size_t writer) {
      if (found_) return;
      if (level_.push_last(key, writer) && level_.solve()) {
        const bool pushed = is_serial;
        const bool still =
            pushed && serial_.push_last(key, writer) && serial_.solve();
        if (notion_ == Notion::View && !still) {
          keep();
        } else {
          finals_.resize(script_.initial.size());
          finals_[loaded_.keys[key].index] = written(writer, loaded_.keys[key]);
          order_last(key + 1, still);
        }
        if (pushed) serial_.pop();
      }
      level_.pop();
    });
  }

  [[nodiscard]] bool is_new_to_serial_runs() const {
    const SerialRuns& runs = question_.serial();
    return notion_ == Notion::State
               ? !runs.states.contains(state_of(*lens_, finals_))
               : !runs.outcomes.contains(
                     outcome_of(script_, *lens_, *history_, finals_));
  }

  [[nodiscard]] std::int64_t written(std::size_t writer, KeyId key) const {
    std::int64_t value = 0;
    for (const auto& txn : history_->txns) {
      if (txn.instance.index != writer) continue;
      for (const auto& event : txn.events) {
        if (event.kind == EventKind::Write && event.key == key)
          value = event.value;
      }
    }
    return value;
  }

  void keep() { found_ = current(); }

  /// The execution that the level's decider is at.
  [[nodiscard]] std::optional<Execution> current() {
    if (!level_.solve(true)) return std::nullopt;
    Execution out;
    out.history = *history_;
    std::vector<std::uint16_t> left = loaded_.input.members;
    while (!left.empty()) {
      const auto next = std::find_if(left.begin(), left.end(), [&](auto t) {
        return std::none_of(left.begin(), left.end(), [&](auto other) {
          return other != t && level_.precedes(other, t);
        });
      });
      out.commit_order.emplace_back(*next);
      left.erase(next);
    }
    return out;
  }

  const exec::Script& script_;
  const JudgeQuestion question_;
  const Base base_;
  const Notion notion_;
  const Budget& budget_;
  const std::unique_ptr<Lens> lens_;
  const explore::ExploredHistory* history_ = nullptr;
  Loaded<V> loaded_;
  explore::Decider<V> level_;
  explore::Decider<V> serial_;
  std::vector<std::int64_t> finals_;
  std::optional<Execution> found_;
};

}  // namespace

std::unique_ptr<HistoryJudge> make_judge(const exec::Script& script,
                                         JudgeQuestion question,
                                         const Budget& budget) {
  const std::size_t n = script.instances.size();
  const auto with = [&]<std::size_t V>() -> std::unique_ptr<HistoryJudge> {
    return std::make_unique<NotionJudge<V>>(script, std::move(question),
                                            budget);
  };
  if (n <= 32) return with.template operator()<1>();
  if (n <= 64) return with.template operator()<2>();
  return with.template operator()<128>();
}

}  // namespace txscope::robust
