#include "support/program_oracle.h"

#include <algorithm>
#include <functional>

namespace txscope::testing {
namespace {

using Key = std::pair<std::size_t, std::int64_t>;  // table, index

struct Event {
  char kind = 'r';  // r: external read, o: own read, w: write
  Key key;
  std::int64_t value = 0;
  std::size_t source = 0;  // of r
};

enum class End { Commit, Abort, Discard, Fault, NeedsSource };

struct Txn {
  std::size_t session = 0;
  std::size_t call = 0;
  End end = End::Commit;
  std::vector<Event> events;
  std::map<std::string, std::int64_t> locals;  // only assigned ones
  std::vector<std::string> failed;             // asserts
  std::uint32_t fault_line = 0;

  [[nodiscard]] bool writes(const Key& key) const {
    return end == End::Commit &&
           std::any_of(events.begin(), events.end(), [&](const Event& e) {
             return e.kind == 'w' && e.key == key;
           });
  }
  [[nodiscard]] std::int64_t last(const Key& key) const {
    std::int64_t value = 0;
    for (const Event& e : events) {
      if (e.kind == 'w' && e.key == key) value = e.value;
    }
    return value;
  }
};

struct Faulted {
  std::uint32_t line;
};

/// Executes one transaction of the tree, with a list of answers to its
/// external reads; stops where the list ends.
class TreeRun {
 public:
  TreeRun(const Program& program, const Call& call,
          const std::vector<std::pair<std::size_t, std::int64_t>>& answers)
      : program_(program),
        transaction_(program.at(call.transaction)),
        answers_(answers) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      out_.locals[transaction_.locals[i]] =
          std::get<std::int64_t>(call.arguments[i]);
    }
  }

  Txn run() {
    try {
      block(transaction_.body);
    } catch (const End& end) {
      out_.end = end;
    } catch (const Faulted& fault) {
      out_.end = End::Fault;
      out_.fault_line = fault.line;
    }
    return out_;
  }
  Key wanted;  // the read that has no answer yet

 private:
  void block(const Block& b) {
    for (const Statement& s : b) {
      std::visit([&](const auto& what) { statement(what, s); }, s.what);
    }
  }
  Key key(const RowRef& row, std::uint32_t line) {
    std::int64_t index = 0;
    if (!row.key.empty()) index = value(row.key[0]);
    if (index < 0 || index >= static_cast<std::int64_t>(
                                  program_.at(row.table).rows.size())) {
      throw Faulted{line};
    }
    return {row.table.index, index};
  }
  void statement(const ReadRow& s, const Statement& at) {
    const Key k = key(s.row, at.at.line);
    const std::string& name = transaction_.locals[s.to.index];
    for (std::size_t i = out_.events.size(); i-- > 0;) {
      const Event& e = out_.events[i];
      if (e.kind == 'w' && e.key == k) {
        const std::int64_t v = e.value;
        out_.events.push_back({'o', k, v, 0});
        out_.locals[name] = v;
        return;
      }
    }
    if (next_ == answers_.size()) {
      wanted = k;
      throw End::NeedsSource;
    }
    const auto [source, v] = answers_[next_++];
    out_.events.push_back({'r', k, v, source});
    out_.locals[name] = v;
  }
  void statement(const WriteRow& s, const Statement& at) {
    const Key k = key(s.row, at.at.line);
    out_.events.push_back({'w', k, value(s.values[0]), 0});
  }
  void statement(const Assign& s, const Statement&) {
    out_.locals[transaction_.locals[s.to.index]] = value(s.value);
  }
  void statement(const If& s, const Statement&) {
    block(value(s.condition) != 0 ? s.then : s.otherwise);
  }
  void statement(const For& s, const Statement&) {
    const std::int64_t from = value(s.from);
    const std::int64_t to = value(s.to);
    for (std::int64_t i = from; i < to; ++i) {
      out_.locals[transaction_.locals[s.variable.index]] = i;
      block(s.body);
    }
  }
  void statement(const While& s, const Statement&) {
    while (value(s.condition) != 0) block(s.body);
  }
  void statement(const Assert& s, const Statement&) {
    if (value(s.condition) == 0) {
      out_.failed.push_back("assert " + program_.at(s.property).name);
    }
  }
  void statement(const Assume& s, const Statement&) {
    if (value(s.condition) == 0) throw End::Discard;
  }
  void statement(const Abort&, const Statement&) { throw End::Abort; }

  std::int64_t value(ExprId id) {
    const Expr& e = program_.at(id);
    const auto arg = [&](std::size_t i) { return value(e.arg[i]); };
    switch (e.op) {
      case Operator::Constant: return e.constant;
      case Operator::Local: {
        const auto found = out_.locals.find(transaction_.locals[e.ref]);
        if (found == out_.locals.end()) throw Faulted{e.at.line};
        return found->second;
      }
      case Operator::And: return arg(0) != 0 && arg(1) != 0;
      case Operator::Or: return arg(0) != 0 || arg(1) != 0;
      case Operator::Conditional: return arg(0) != 0 ? arg(1) : arg(2);
      default: {
        const std::int64_t a = arg(0);
        const std::int64_t b = e.arg[1] == kNone<ExprId> ? 0 : arg(1);
        const Computed c = compute(e.op, a, b);
        if (c.fault != Fault::None) throw Faulted{e.at.line};
        return c.value;
      }
    }
  }

  const Program& program_;
  const Transaction& transaction_;
  const std::vector<std::pair<std::size_t, std::int64_t>>& answers_;
  std::size_t next_ = 0;
  Txn out_;
};

std::int64_t initial(const Program& program, const Key& key) {
  return std::get<std::int64_t>(program.tables[key.first]
                                    .rows[static_cast<std::size_t>(key.second)]
                                    .back());
}

/// A history as transactions 1..n; 0 is init.  `so`, `wr` and writers from the
/// definitions.
class BruteForce {
  using Relation = std::vector<std::vector<bool>>;

 public:
  explicit BruteForce(const std::vector<Txn>& txns)
      : txns_(txns), n_(txns.size()) {
    direct_.assign(n_ + 1, std::vector<bool>(n_ + 1));
    for (std::size_t a = 0; a <= n_; ++a) {
      for (std::size_t b = 0; b <= n_; ++b) {
        direct_[a][b] = so(a, b) || wr(a, b);
      }
    }
    hb_ = closure(direct_);
  }

  /// Calls f with every order of 1..n that is a witness for the level, until
  /// it returns true; whether it did.
  bool any_witness(
      Base level,
      const std::function<bool(const std::vector<std::size_t>&)>& f) const {
    std::vector<std::size_t> order(n_);
    for (std::size_t i = 0; i < n_; ++i) order[i] = i + 1;
    do {
      if (is_witness(level, order) && f(order)) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }

 private:
  [[nodiscard]] const Txn& at(std::size_t t) const { return txns_[t - 1]; }
  [[nodiscard]] bool so(std::size_t a, std::size_t b) const {
    if (b == 0 || a == b) return false;
    if (a == 0) return true;
    return at(a).session == at(b).session && at(a).call < at(b).call;
  }
  [[nodiscard]] bool wr(std::size_t a, std::size_t b) const {
    if (b == 0) return false;
    return std::any_of(
        at(b).events.begin(), at(b).events.end(),
        [&](const Event& e) { return e.kind == 'r' && e.source == a; });
  }
  [[nodiscard]] bool writes(std::size_t t, const Key& k) const {
    return t == 0 || at(t).writes(k);
  }
  [[nodiscard]] bool conflict(std::size_t a, std::size_t b) const {
    if (a == 0 || b == 0) return false;
    return std::any_of(
        at(a).events.begin(), at(a).events.end(), [&](const Event& e) {
          return e.kind == 'w' && at(a).writes(e.key) && at(b).writes(e.key);
        });
  }
  [[nodiscard]] Relation closure(Relation r) const {
    for (std::size_t k = 0; k <= n_; ++k) {
      for (std::size_t i = 0; i <= n_; ++i) {
        for (std::size_t j = 0; j <= n_; ++j) {
          if (r[i][k] && r[k][j]) r[i][j] = true;
        }
      }
    }
    return r;
  }

  [[nodiscard]] bool is_witness(Base level,
                                const std::vector<std::size_t>& order) const {
    std::vector<std::size_t> pos(n_ + 1);
    for (std::size_t i = 0; i < n_; ++i) pos[order[i]] = i + 1;
    const auto co = [&](std::size_t a, std::size_t b) {
      return pos[a] < pos[b];
    };
    for (std::size_t a = 0; a <= n_; ++a) {
      for (std::size_t b = 0; b <= n_; ++b) {
        if (direct_[a][b] && !co(a, b)) return false;
      }
    }
    Relation vis;
    if (level == Base::ParallelSnapshotIsolation) {
      vis = direct_;
      // The smallest vis for this ar; a larger one only adds constraints.
      for (std::size_t a = 0; a <= n_; ++a) {
        for (std::size_t b = 0; b <= n_; ++b) {
          if (conflict(a, b) && co(a, b)) vis[a][b] = true;
        }
      }
      vis = closure(vis);
    }
    for (std::size_t t3 = 1; t3 <= n_; ++t3) {
      const auto& events = at(t3).events;
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i].kind != 'r') continue;
        const std::size_t t1 = events[i].source;
        for (std::size_t t2 = 0; t2 <= n_; ++t2) {
          if (t2 == t1 || t2 == t3 || !writes(t2, events[i].key)) continue;
          bool premise = false;
          switch (level) {
            case Base::ReadUncommitted:
            case Base::ReadCommitted: break;
            case Base::MonotonicAtomicView:
              for (std::size_t j = 0; j < i; ++j) {
                premise |= events[j].kind == 'r' && events[j].source == t2;
              }
              break;
            case Base::ReadAtomic: premise = direct_[t2][t3]; break;
            case Base::Causal: premise = hb_[t2][t3]; break;
            case Base::Prefix:
            case Base::SnapshotIsolation:
              for (std::size_t t4 = 0; t4 <= n_; ++t4) {
                const bool first = t2 == t4 || co(t2, t4);
                premise |= first && direct_[t4][t3];
                premise |= level == Base::SnapshotIsolation && first &&
                           co(t4, t3) && conflict(t4, t3);
              }
              break;
            case Base::ParallelSnapshotIsolation: premise = vis[t2][t3]; break;
            case Base::Serializable: premise = co(t2, t3); break;
          }
          if (premise && !co(t2, t1)) return false;
        }
      }
    }
    return true;
  }

  const std::vector<Txn>& txns_;
  std::size_t n_;
  Relation direct_;  // so + wr
  Relation hb_;      // its closure
};

std::string describe(const std::vector<Txn>& txns) {
  // Sources are named by session and call, so that the order of execution
  // does not matter.
  std::map<std::pair<std::size_t, std::size_t>, std::string> lines;
  const auto id = [](const Txn& t) {
    return std::to_string(t.session) + "." + std::to_string(t.call);
  };
  for (const Txn& t : txns) {
    std::string line = id(t) + (t.end == End::Commit ? " c" : " a");
    for (const Event& e : t.events) {
      line += std::string(" ") + e.kind + std::to_string(e.key.first) + "/" +
              std::to_string(e.key.second);
      if (e.kind == 'r') {
        line += "<" + (e.source == 0 ? "init" : id(txns[e.source - 1]));
      }
    }
    lines[{t.session, t.call}] = line;
  }
  std::string out;
  for (const auto& [key, line] : lines) out += line + "\n";
  return out;
}

constexpr Base kLevels[] = {Base::ReadCommitted,
                            Base::MonotonicAtomicView,
                            Base::ReadAtomic,
                            Base::Causal,
                            Base::Prefix,
                            Base::ParallelSnapshotIsolation,
                            Base::SnapshotIsolation,
                            Base::Serializable};

class Oracle {
 public:
  Oracle(const Program& program, std::size_t limit)
      : program_(program), limit_(limit), next_(program.sessions.size()) {
    for (const Base level : kLevels) out_[level];
  }

  std::optional<std::map<Base, OracleLevel>> run() {
    extend();
    if (count_ > limit_) return std::nullopt;
    return out_;
  }

 private:
  void extend() {
    if (count_ > limit_) return;
    bool is_done = true;
    for (std::size_t s = 0; s < next_.size(); ++s) {
      if (next_[s] == program_.sessions[s].calls.size()) continue;
      is_done = false;
      ++next_[s];
      run_txn(s, next_[s] - 1, {});
      --next_[s];
    }
    if (is_done) complete();
  }

  void run_txn(std::size_t session, std::size_t call,
               std::vector<std::pair<std::size_t, std::int64_t>> answers) {
    if (++count_ > limit_) return;
    TreeRun run(program_, program_.sessions[session].calls[call], answers);
    Txn txn = run.run();
    txn.session = session;
    txn.call = call;
    switch (txn.end) {
      case End::NeedsSource:
        answers.push_back({0, initial(program_, run.wanted)});
        run_txn(session, call, answers);
        for (std::size_t i = 0; i < txns_.size(); ++i) {
          if (!txns_[i].writes(run.wanted)) continue;
          answers.back() = {i + 1, txns_[i].last(run.wanted)};
          run_txn(session, call, answers);
        }
        return;
      case End::Discard: return;
      case End::Fault:
        txns_.push_back(txn);
        fault(txn.fault_line);
        txns_.pop_back();
        return;
      case End::Commit:
      case End::Abort:
        txns_.push_back(txn);
        extend();
        txns_.pop_back();
        return;
    }
  }

  void fault(std::uint32_t line) {
    if (!seen_.insert(std::to_string(line) + describe(txns_)).second) return;
    const BruteForce history(txns_);
    for (const Base level : kLevels) {
      if (history.any_witness(level, [](const auto&) { return true; })) {
        out_[level].fault_lines.insert(line);
      }
    }
  }

  void complete() {
    const std::string name = describe(txns_);
    if (!seen_.insert(name).second) return;
    const BruteForce history(txns_);
    for (const Base level : kLevels) {
      OracleLevel& out = out_[level];
      if (!history.any_witness(level, [](const auto&) { return true; })) {
        continue;
      }
      out.histories.insert(name);
      std::set<std::string> violated;
      for (const Txn& t : txns_) {
        violated.insert(t.failed.begin(), t.failed.end());
      }
      for (const EndCondition& end : program_.end_conditions) {
        const Property& property = program_.at(end.property);
        if (property.kind != PropertyKind::Invariant) continue;
        if (history.any_witness(level, [&](const auto& order) {
              return final_value(end.condition, order) == 0;
            })) {
          violated.insert("invariant " + property.name);
        }
      }
      for (const std::string& v : violated) ++out.violating[v];
    }
  }

  /// Nothing stands for a fault; it counts as violated.
  std::int64_t final_value(ExprId id, const std::vector<std::size_t>& order) {
    const Expr& e = program_.at(id);
    const auto arg = [&](std::size_t i) {
      return final_value(e.arg[i], order);
    };
    switch (e.op) {
      case Operator::Constant: return e.constant;
      case Operator::FinalRow: {
        const Key key = {e.ref, e.arg[0] == kNone<ExprId> ? 0 : arg(0)};
        std::int64_t value = initial(program_, key);
        for (const std::size_t t : order) {
          if (txns_[t - 1].writes(key)) value = txns_[t - 1].last(key);
        }
        return value;
      }
      case Operator::And: return arg(0) != 0 && arg(1) != 0;
      case Operator::Or: return arg(0) != 0 || arg(1) != 0;
      case Operator::Conditional: return arg(0) != 0 ? arg(1) : arg(2);
      default:
        return compute(e.op, arg(0), e.arg[1] == kNone<ExprId> ? 0 : arg(1))
            .value;
    }
  }

  const Program& program_;
  const std::size_t limit_;
  std::size_t count_ = 0;
  std::vector<std::size_t> next_;
  std::vector<Txn> txns_;
  std::set<std::string> seen_;
  std::map<Base, OracleLevel> out_;
};

}  // namespace

std::optional<std::map<Base, OracleLevel>> oracle(const Program& program,
                                                  std::size_t limit) {
  return Oracle(program, limit).run();
}

}  // namespace txscope::testing
