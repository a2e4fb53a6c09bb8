#include "generate/distinguish.h"

#include <algorithm>
#include <array>
#include <utility>

#include "check/check.h"
#include "generate/tiny_history.h"

namespace txscope::generate {
namespace {

// The most operations that are tried with so many transactions, from 0 on.
constexpr std::array<int, 6> kMaxOperations = {0, 3, 6, 6, 8, 10};

class Enumeration {
 public:
  Enumeration(Level allowed_by, Level forbidden_by, const Budget& budget)
      : allowed_by_(allowed_by),
        forbidden_by_(forbidden_by),
        budget_(budget),
        uses_lists_(forbidden_by.base == Base::ReadUncommitted),
        keeps_order_(allowed_by.base == Base::MonotonicAtomicView ||
                     forbidden_by.base == Base::MonotonicAtomicView),
        repeats_reads_(allowed_by.base < Base::ReadAtomic),
        has_bad_reads_(!uses_lists_ &&
                       allowed_by.base == Base::ReadUncommitted) {}

  Distinction run() {
    for (int n = 1; n < static_cast<int>(kMaxOperations.size()); ++n) {
      const std::vector<TinyFrame> frames = tiny_frames(which_frames(), n);
      for (int m = n; m <= kMaxOperations[n]; ++m)
        for (int k = 1; k <= m; ++k)
          for (const TinyFrame& frame : frames) {
            history_.frame = frame;
            history_.txns.assign(static_cast<std::size_t>(n), {});
            keys_ = k;
            if (add_ops(0, m, 0)) return found();
            if (budget_.spent_now()) return std::move(result_);
          }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] TinyFrames which_frames() const {
    const auto either = [&](Order order) {
      return allowed_by_.order == order || forbidden_by_.order == order;
    };
    if (either(Order::Realtime))
      return either(Order::Session) ? TinyFrames::TimedAndSessions
                                    : TinyFrames::Timed;
    return either(Order::Session) ? TinyFrames::Sessions : TinyFrames::Separate;
  }

  Distinction found() {
    result_.kind = Distinction::Kind::Found;
    result_.history = history_.build();
    return std::move(result_);
  }

  [[nodiscard]] std::size_t n() const { return history_.txns.size(); }
  [[nodiscard]] OpKind read_kind() const {
    return uses_lists_ ? OpKind::ReadList : OpKind::Read;
  }
  [[nodiscard]] OpKind write_kind() const {
    return uses_lists_ ? OpKind::Append : OpKind::Write;
  }

  // Chooses the operations from transaction t on, `left` of them in all, and
  // what they read; true if that gave what is looked for.
  bool add_ops(std::size_t t, int left, int keys_used) {
    if (budget_.spent()) return false;
    auto& ops = history_.txns[t];
    const int others = static_cast<int>(n() - t) - 1;
    if (!ops.empty() && is_canonical(t)) {
      if (others == 0 && left == 0)
        return keys_used == keys_ && keys_make_sense() && choose_reads(0, 0);
      if (others > 0 && left >= others && add_ops(t + 1, left, keys_used))
        return true;
    }
    if (left <= others) return false;
    for (int key = 0; key < std::min(keys_, keys_used + 1); ++key) {
      for (const OpKind kind : {read_kind(), write_kind()}) {
        TinyOp op;
        op.kind = kind;
        op.key = key;
        if (!may_follow(ops, op)) continue;
        ops.push_back(op);
        if (add_ops(t, left - 1, std::max(keys_used, key + 1))) return true;
        ops.pop_back();
      }
    }
    return false;
  }

  [[nodiscard]] bool may_follow(const std::vector<TinyOp>& ops,
                                const TinyOp& op) const {
    const auto is_read = [](const TinyOp& o) {
      return o.kind == OpKind::Read || o.kind == OpKind::ReadList;
    };
    for (const TinyOp& earlier : ops) {
      if (earlier.key != op.key) continue;
      if (!is_read(earlier)) return false;
      if (is_read(op) && !repeats_reads_) return false;
    }
    if (keeps_order_ || ops.empty()) return true;
    const TinyOp& last = ops.back();
    return std::pair(!is_read(last), last.key) <=
           std::pair(!is_read(op), op.key);
  }

  // Separate transactions may trade places: they come in the order of their
  // kinds of operations.
  [[nodiscard]] bool is_canonical(std::size_t t) const {
    if (t == 0 || !history_.frame.times.empty()) return true;
    const auto& session_of = history_.frame.session_of;
    const auto is_alone = [&](std::size_t u) {
      return std::count(session_of.begin(), session_of.end(), session_of[u]) ==
             1;
    };
    if (!is_alone(t) || !is_alone(t - 1)) return true;
    const auto shape = [](const std::vector<TinyOp>& ops) {
      std::vector<OpKind> kinds;
      kinds.reserve(ops.size());
      for (const TinyOp& op : ops) kinds.push_back(op.kind);
      return kinds;
    };
    const auto& before = history_.txns[t - 1];
    const auto& here = history_.txns[t];
    if (before.size() != here.size()) return before.size() < here.size();
    return shape(before) >= shape(here);
  }

  // A key says something if somebody reads it whom another one could write to.
  [[nodiscard]] bool keys_make_sense() const {
    if (has_bad_reads_) return true;
    for (int key = 0; key < keys_; ++key) {
      bool makes_sense = false;
      for (std::size_t t = 0; t < n(); ++t)
        for (const TinyOp& op : history_.txns[t])
          if (op.key == key && op.kind == read_kind())
            makes_sense |= !writers(key, t).empty();
      if (!makes_sense) return false;
    }
    return true;
  }

  [[nodiscard]] std::vector<int> writers(int key, std::size_t reader) const {
    std::vector<int> all;
    for (std::size_t t = 0; t < n(); ++t) {
      if (t == reader) continue;
      for (const TinyOp& op : history_.txns[t])
        if (op.key == key && op.kind == write_kind())
          all.push_back(static_cast<int>(t));
    }
    return all;
  }

  bool choose_reads(std::size_t t, std::size_t i) {
    if (budget_.spent()) return false;
    while (t < n() && i == history_.txns[t].size()) ++t, i = 0;
    if (t == n()) return tells_apart();
    TinyOp& op = history_.txns[t][i];
    if (op.kind == OpKind::ReadList) return choose_list(op, t, i);
    if (op.kind != OpKind::Read) return choose_reads(t, i + 1);
    std::vector<int> sources = writers(op.key, t);
    sources.insert(sources.begin(), TinyOp::kInitialSource);
    if (has_bad_reads_) sources.push_back(TinyOp::kThinAir);
    for (const int source : sources) {
      op.source = source;
      if (choose_reads(t, i + 1)) return true;
    }
    return false;
  }

  // Every sequence of some of the appends of others.
  bool choose_list(TinyOp& op, std::size_t t, std::size_t i) {
    if (choose_reads(t, i + 1)) return true;
    for (const int writer : writers(op.key, t)) {
      const auto& chosen = op.elements;
      if (std::find(chosen.begin(), chosen.end(), writer) != chosen.end())
        continue;
      op.elements.push_back(writer);
      if (choose_list(op, t, i)) return true;
      op.elements.pop_back();
    }
    return false;
  }

  bool tells_apart() {
    ++result_.tried;
    const History history = history_.build();
    return check::check(history, forbidden_by_, budget_).outcome() ==
               Outcome::Violated &&
           check::check(history, allowed_by_, budget_).outcome() ==
               Outcome::Holds;
  }

  Level allowed_by_;
  Level forbidden_by_;
  const Budget& budget_;
  bool uses_lists_;
  bool keeps_order_;    // of the operations of a transaction
  bool repeats_reads_;  // of a key in a transaction
  bool has_bad_reads_;

  TinyHistory history_;
  int keys_ = 0;
  Distinction result_;
};

}  // namespace

Distinction distinguish(Level allowed_by, Level forbidden_by,
                        const Budget& budget) {
  if (implies(allowed_by, forbidden_by)) {
    Distinction none;
    none.kind = Distinction::Kind::Impossible;
    return none;
  }
  return Enumeration(allowed_by, forbidden_by, budget).run();
}

}  // namespace txscope::generate
