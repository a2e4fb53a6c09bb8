#include "support/sketch.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <string>

#include "model/history_builder.h"

namespace txscope {
namespace {

Atom key_name(HistoryBuilder& builder, int key) {
  static constexpr std::string_view kRegisters = "xyzuvw";
  static constexpr std::string_view kLists = "lmnopq";
  const std::string_view letters = key >= 0 ? kRegisters : kLists;
  const auto i = static_cast<std::size_t>(key >= 0 ? key : -1 - key);
  std::string name(1, letters[i % letters.size()]);
  if (i >= letters.size()) name += std::to_string(i / letters.size());
  return builder.atoms().of_string(name);
}

void add(HistoryBuilder& builder, const Sketch::Op& op) {
  const KeyId key = builder.key(key_name(builder, op.key));
  const auto atom = [&](std::int64_t v) { return builder.atoms().of_int(v); };
  switch (op.kind) {
    case OpKind::Read: builder.read(key, atom(op.value)); return;
    case OpKind::Write: builder.write(key, atom(op.value)); return;
    case OpKind::Append: builder.append(key, atom(op.value)); return;
    case OpKind::ReadList: break;
  }
  std::vector<Atom> elements;
  for (const std::int64_t v : op.elements) elements.push_back(atom(v));
  builder.read_list(key, elements);
}

class Numbering {
 public:
  explicit Numbering(const History& history) {
    for (const Op& op : history.ops()) {
      if (op.kind == OpKind::ReadList)
        for (const Atom a : history.list(op)) use(a);
      else
        use(op.value);
    }
  }
  std::int64_t of(Atom atom) {
    if (atom.is_small_int()) return atom.small_int();
    const auto [place, is_new] = numbers_.try_emplace(atom, next_);
    if (is_new) ++next_;
    return place->second;
  }

 private:
  void use(Atom a) {
    if (a.is_small_int()) next_ = std::max(next_, a.small_int() + 1);
  }
  std::map<Atom, std::int64_t> numbers_;
  std::int64_t next_ = 1;
};

/// One attempt after the other, kept if the history still fails.
class Shrinker {
 public:
  Shrinker(Sketch sketch, const std::function<bool(const History&)>& fails)
      : best_(std::move(sketch)), fails_(fails) {
    assert(fails_(best_.build()) && "nothing to shrink");
  }

  Sketch run() {
    do {
      is_better_ = false;
      remove_sessions();
      remove_txns();
      remove_ops();
      remove_elements();
      make_plainer();
      merge_values();
    } while (is_better_);
    return std::move(best_);
  }

 private:
  bool keep(Sketch attempt) {
    if (!fails_(attempt.build())) return false;
    best_ = std::move(attempt);
    is_better_ = true;
    return true;
  }
  template <class Change>
  bool attempt(Change change) {
    Sketch next = best_;
    change(next);
    return keep(std::move(next));
  }

  void remove_sessions() {
    for (std::size_t s = best_.sessions.size(); s-- > 0;)
      attempt([&](Sketch& h) { h.sessions.erase(h.sessions.begin() + s); });
  }
  void remove_txns() {
    for (std::size_t s = best_.sessions.size(); s-- > 0;)
      for (std::size_t t = best_.sessions[s].size(); t-- > 0;)
        attempt(
            [&](Sketch& h) { h.sessions[s].erase(h.sessions[s].begin() + t); });
  }
  void remove_ops() {
    for_each_txn([&](std::size_t s, std::size_t t) {
      for (std::size_t o = best_.sessions[s][t].ops.size(); o-- > 0;)
        attempt([&](Sketch& h) {
          auto& ops = h.sessions[s][t].ops;
          ops.erase(ops.begin() + o);
        });
    });
  }
  void remove_elements() {
    for_each_op([&](std::size_t s, std::size_t t, std::size_t o) {
      for (std::size_t e = op(best_, s, t, o).elements.size(); e-- > 0;)
        attempt([&](Sketch& h) {
          auto& elements = op(h, s, t, o).elements;
          elements.erase(elements.begin() + e);
        });
    });
  }
  void make_plainer() {
    for_each_txn([&](std::size_t s, std::size_t t) {
      const auto& txn = best_.sessions[s][t];
      if (txn.status != Status::Committed && txn.start == Txn::kNoTime)
        attempt(
            [&](Sketch& h) { h.sessions[s][t].status = Status::Committed; });
    });
    const bool has_times = std::any_of(
        best_.sessions.begin(), best_.sessions.end(), [](const auto& session) {
          return std::any_of(session.begin(), session.end(), [](const auto& t) {
            return t.start != Txn::kNoTime || t.end != Txn::kNoTime;
          });
        });
    if (has_times)
      attempt([](Sketch& h) {
        for (auto& session : h.sessions)
          for (auto& t : session) t.start = t.end = Txn::kNoTime;
      });
    if (best_.judge_aborted)
      attempt([](Sketch& h) { h.judge_aborted = false; });
    if (!best_.initial.empty()) attempt([](Sketch& h) { h.initial.clear(); });
  }
  void merge_values() {
    std::set<std::int64_t> values;
    for_each_value(best_, [&](std::int64_t& v) { values.insert(v); });
    // Smaller numbers without gaps, then fewer of them.
    std::int64_t next = 0;
    for (const std::int64_t v : values) {
      if (v > next && !values.contains(next)) replace(v, next);
      ++next;
    }
    for (const std::int64_t v : values)
      for (const std::int64_t w : values)
        if (w < v && w >= 0) replace(v, w);
  }
  void replace(std::int64_t v, std::int64_t w) {
    Sketch next = best_;
    bool changes = false;
    for_each_value(next, [&](std::int64_t& value) {
      changes = changes || value == v;
      if (value == v) value = w;
    });
    if (changes) keep(std::move(next));
  }

  static Sketch::Op& op(Sketch& h, std::size_t s, std::size_t t,
                        std::size_t o) {
    return h.sessions[s][t].ops[o];
  }
  template <class Visit>
  static void for_each_value(Sketch& h, Visit visit) {
    for (auto& session : h.sessions)
      for (auto& txn : session)
        for (auto& o : txn.ops) {
          if (o.kind != OpKind::ReadList) visit(o.value);
          for (std::int64_t& v : o.elements) visit(v);
        }
  }
  template <class Visit>
  void for_each_txn(Visit visit) {
    for (std::size_t s = best_.sessions.size(); s-- > 0;)
      for (std::size_t t = best_.sessions[s].size(); t-- > 0;) visit(s, t);
  }
  template <class Visit>
  void for_each_op(Visit visit) {
    for_each_txn([&](std::size_t s, std::size_t t) {
      for (std::size_t o = best_.sessions[s][t].ops.size(); o-- > 0;)
        visit(s, t, o);
    });
  }

  Sketch best_;
  const std::function<bool(const History&)>& fails_;
  bool is_better_ = false;
};

}  // namespace

History Sketch::build() const {
  HistoryBuilder builder("sketch");
  builder.set_default_initial(builder.atoms().of_int(0));
  builder.set_judge_aborted(judge_aborted);
  for (const auto& [key, value] : initial)
    builder.set_initial(
        builder.key(key_name(builder, key)),
        value ? builder.atoms().of_int(*value) : Atom::no_value());
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    const SessionId session =
        builder.session(builder.atoms().of_string("s" + std::to_string(s + 1)));
    for (const Txn& txn : sessions[s]) {
      builder.begin(session);
      builder.set_times(txn.start, txn.end);
      for (const Op& op : txn.ops) add(builder, op);
      builder.end(txn.status);
    }
  }
  Result<History> history = std::move(builder).finish();
  assert(history && "a sketch is a history");
  return *std::move(history);
}

std::size_t Sketch::size() const {
  std::size_t count = 0;
  for (const auto& session : sessions) count += session.size();
  return count;
}

Sketch sketch_of(const History& history) {
  Sketch sketch;
  sketch.judge_aborted = history.judge_aborted();
  Numbering number(history);
  const auto key_of = [&](KeyId k) {
    const int i = static_cast<int>(k.index);
    return history.kind(k) == KeyKind::List ? -1 - i : i;
  };
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const Atom value = history.initial(KeyId(k));
    if (history.kind(KeyId(k)) == KeyKind::List) continue;
    if (value.is_no_value())
      sketch.initial[key_of(KeyId(k))] = std::nullopt;
    else if (number.of(value) != 0)
      sketch.initial[key_of(KeyId(k))] = number.of(value);
  }
  for (const Session& session : history.sessions()) {
    auto& txns = sketch.sessions.emplace_back();
    for (TxnId t = session.first; t < session.end; t = TxnId(t.index + 1)) {
      const Txn& from = history.at(t);
      Sketch::Txn& txn = txns.emplace_back();
      txn.status = from.status;
      txn.start = from.start;
      txn.end = from.end;
      for (const Op& op : history.ops(t)) {
        Sketch::Op& copy = txn.ops.emplace_back();
        copy.kind = op.kind;
        copy.key = key_of(op.key);
        if (op.kind != OpKind::ReadList) copy.value = number.of(op.value);
        if (op.kind == OpKind::ReadList)
          for (const Atom a : history.list(op))
            copy.elements.push_back(number.of(a));
      }
    }
  }
  return sketch;
}

Sketch shrink(Sketch sketch, const std::function<bool(const History&)>& fails) {
  return Shrinker(std::move(sketch), fails).run();
}

}  // namespace txscope
