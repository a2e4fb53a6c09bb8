#include "explore/sql/transactions.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "exec/sql/value/compare.h"
#include "exec/sql/value/index_entry.h"

namespace txscope::explore {
namespace {

/// The final state of the open rows, and all others.
class FinalRows : public sql::Store {
 public:
  FinalRows(const sql::Routines& routines, const Universe& universe,
            std::span<const std::int64_t> finals)
      : routines_(routines), universe_(universe), finals_(finals) {}

  /// Whether these tables are as their constraints demand: unique keys, and
  /// parents of all children.  A database sees to that: no transactions can end
  /// in another state.
  bool is_lawful(const std::vector<TableId>& tables) {
    for (const TableId t : tables) {
      const sql::Table& table = universe_.schema().at(t);
      for (std::size_t k = 0; k < table.key_count(); ++k) {
        if (!is_unique(t, table.key_at(k))) return false;
      }
      for (const sql::ForeignKey& foreign : universe_.schema().at(t).foreign) {
        if (!has_parents(t, foreign)) return false;
      }
    }
    return true;
  }

  bool scan(const sql::Access& access, const OnRow& on_row) override {
    const auto entries = universe_.keys(access.table);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::int64_t version = entries[i].open
                                       ? finals_[entries[i].open->index]
                                       : entries[i].initial;
      if (version == Universe::kAbsent) continue;
      on_row({access.table, i}, universe_.row(version));
    }
    return true;
  }

 private:
  bool is_unique(TableId table, const sql::UniqueKey& key) {
    std::set<sql::Row> seen;
    bool all = true;
    sql::Access access;
    access.table = table;
    all &= scan(access, [&](sql::RowHandle, const sql::Row& row) {
      auto entry = index_entry(routines_, key, row);
      if (!entry) return;
      if (key.is_exclusion) {
        all &=
            std::none_of(seen.begin(), seen.end(), [&](const sql::Row& other) {
              return excludes(key, *entry, other);
            });
        seen.insert(std::move(*entry));
      } else {
        all &= seen.insert(std::move(*entry)).second;
      }
    });
    return all;
  }
  bool has_parents(TableId child, const sql::ForeignKey& foreign) {
    std::set<sql::Row> parents;
    sql::Access access;
    access.table = foreign.parent;
    bool all = scan(access, [&](sql::RowHandle, const sql::Row& row) {
      parents.insert(picked(row, foreign.parent_columns));
    });
    access.table = child;
    all &= scan(access, [&](sql::RowHandle, const sql::Row& row) {
      const sql::Row values = picked(row, foreign.columns);
      all &= has_null(values) || parents.contains(values);
    });
    return all;
  }
  static bool has_null(const sql::Row& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const sql::Value& v) { return v.is_null(); });
  }
  static sql::Row picked(const sql::Row& row,
                         const std::vector<std::uint32_t>& columns) {
    sql::Row out;
    for (const std::uint32_t c : columns) out.push_back(canonical(row[c]));
    return out;
  }

  const sql::Routines& routines_;
  const Universe& universe_;
  std::span<const std::int64_t> finals_;
};

}  // namespace

Transactions::Transactions(const sql::Routines& routines, Universe& universe,
                           const exec::Script& script, const Budget& budget,
                           NewKeys new_keys)
    : routines_(routines),
      application_(routines.application()),
      universe_(universe),
      script_(script),
      budget_(budget),
      new_keys_(new_keys),
      roots_(script.instances.size(), kNoNode) {}

std::size_t Transactions::KeyHash::operator()(
    const std::vector<std::int64_t>& key) const {
  std::uint64_t hash = 0x13198a2e03707344ull;
  for (const std::int64_t word : key) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

std::uint32_t Transactions::add(Node node) {
  nodes_.push_back(node);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t Transactions::add_state(State state) {
  states_.push_back(std::move(state));
  return static_cast<std::uint32_t>(states_.size() - 1);
}

exec::Event Transactions::at(std::uint32_t node, std::int64_t* slots) const {
  slots[0] = node;
  return nodes_[node].event;
}

Span Transactions::place(std::uint32_t pc) const {
  const State& state = states_[pc];
  if (state.request.kind == sql::Request::Kind::Statement) {
    return state.request.statement->at;
  }
  if (state.error) return state.error->at;
  if (state.request.kind == sql::Request::Kind::Failed) {
    return state.process.error().at.line != 0 ? state.process.error().at
                                              : state.process.at();
  }
  const exec::Script::Instance& instance =
      script_.instances[state.instance.index];
  return application_.sessions[instance.session].calls[instance.call].at;
}

exec::Event Transactions::start(exec::InstanceId instance,
                                std::int64_t* slots) {
  std::uint32_t& root = roots_[instance.index];
  if (root == kNoNode) {
    const exec::Script::Instance& i = script_.instances[instance.index];
    State state{instance,
                sql::Process(routines_,
                             application_.sessions[i.session].calls[i.call])};
    state.drawn.numbers.resize(application_.schema.sequences.size());
    state.drawn.hidden.resize(application_.schema.tables.size());
    advance(state);
    root = go_on(add_state(std::move(state)), kNoNode, 0);
  }
  return at(root, slots);
}

exec::Event Transactions::answer(std::uint32_t, std::int64_t value,
                                 std::int64_t* slots) {
  const auto node = static_cast<std::uint32_t>(slots[0]);
  assert(nodes_[node].event.stop == exec::Stop::Read &&
         "only reads are answered");
  for (std::uint32_t child = nodes_[node].first_child; child != kNoNode;
       child = nodes_[child].next_sibling) {
    if (nodes_[child].answer == value) return at(child, slots);
  }
  const Node& read = nodes_[node];
  const std::uint32_t child =
      read.reads_left > 0
          ? add(read_node(read.state, node, read.next_read, read.reads_left))
          : go_on(read.state, node, value);
  nodes_[child].answer = value;
  nodes_[child].next_sibling = nodes_[node].first_child;
  nodes_[node].first_child = child;
  return at(child, slots);
}

exec::Event Transactions::resume(std::uint32_t, std::int64_t* slots) {
  const auto node = static_cast<std::uint32_t>(slots[0]);
  assert(nodes_[node].event.stop == exec::Stop::Write &&
         "only writes are resumed");
  return at(nodes_[node].first_child, slots);
}

Transactions::Node Transactions::node_of(std::uint32_t state,
                                         exec::Stop stop) const {
  Node node;
  node.event.stop = stop;
  node.event.pc = state;
  node.state = state;
  return node;
}

Transactions::Node Transactions::read_node(std::uint32_t state,
                                           std::uint32_t parent,
                                           std::uint32_t next_read,
                                           std::uint32_t reads_left) const {
  Node read = node_of(state, exec::Stop::Read);
  read.event.key = reads_[next_read];
  read.parent = parent;
  read.next_read = next_read + 1;
  read.reads_left = reads_left - 1;
  return read;
}

void Transactions::advance(State& state) {
  for (;;) {
    state.request = state.process.run(budget_);
    const sql::Request& request = state.request;
    if (!request.is_nesting()) break;
    if (request.kind == sql::Request::Kind::RollBackTo) {
      const State::Saved& then =
          state.saved[request.depth - (request.reopens ? 1 : 0)];
      state.held.resize(then.held);
      state.claims = then.claims;
    }
    state.saved.resize(request.depth, {state.held.size(), state.claims});
    state.process.proceed();
  }
  const bool is_over =
      state.saved.empty() || state.request.kind == sql::Request::Kind::Returned;
  if (is_over) state.ready = std::exchange(state.held, {});
}

std::uint32_t Transactions::go_on(std::uint32_t state, std::uint32_t parent,
                                  std::int64_t answer) {
  std::uint32_t first = kNoNode;  // of the chain that this adds
  std::uint32_t last = kNoNode;
  const auto append = [&](Node node) {
    const std::uint32_t id = add(node);
    if (last == kNoNode) {
      first = id;
    } else {
      nodes_[last].first_child = id;
    }
    last = id;
    return id;
  };
  const auto append_write = [&](std::uint32_t of,
                                const StatementEffect::Write& write) {
    Node node = node_of(of, exec::Stop::Write);
    node.event.key = *universe_.open_key(write.table, write.key);
    node.event.value = write.version;
    append(node);
  };
  for (;;) {
    State& now = states_[state];
    if (parent == kNoNode)
      for (const auto& write : now.ready) append_write(state, write);
    switch (now.request.kind) {
      case sql::Request::Kind::Statement: break;
      case sql::Request::Kind::Savepoint:
      case sql::Request::Kind::Release:
      case sql::Request::Kind::RollBackTo:
        assert(false && "advance() has done them");
        break;
      case sql::Request::Kind::Commit:
      case sql::Request::Kind::RollBack:
        append(node_of(state, exec::Stop::Bound));
        return first;
      case sql::Request::Kind::Returned:
        append(node_of(state, exec::Stop::Commit));
        return first;
      case sql::Request::Kind::Failed:
        append(node_of(state, now.process.error().is_ours ? exec::Stop::Bound
                                                          : exec::Stop::Abort));
        return first;
      case sql::Request::Kind::Cut:
      case sql::Request::Kind::Spent:
        append(node_of(state, exec::Stop::Bound));
        return first;
    }
    RowReads reads(universe_);
    std::int64_t version = answer;
    for (std::uint32_t n = parent; n != kNoNode; n = nodes_[n].parent) {
      reads.know(nodes_[n].event.key, version);
      version = nodes_[n].answer;
    }
    for (const auto& write : now.held)
      reads.know(*universe_.open_key(write.table, write.key), write.version);
    Drawn drawn = now.drawn;
    SearchStatement statement(routines_, universe_, reads, now.instance,
                              budget_);
    statement.modes = now.request.modes;
    statement.settings = now.request.settings;
    auto result = statement.run(*now.request.statement, now.process.slots(),
                                now.request.max_rows, drawn);
    if (std::holds_alternative<sql::Interrupted>(result)) {
      if (reads.wanted().empty() && universe_.is_outgrown()) {
        if (new_keys_ == NewKeys::Open) {
          universe_.grow();
          continue;
        }
        budget_.cancel();
      }
      if (reads.wanted().empty()) {  // the budget is spent
        append(node_of(state, exec::Stop::Bound));
        return first;
      }
      const auto begin = static_cast<std::uint32_t>(reads_.size());
      reads_.insert(reads_.end(), reads.wanted().begin(), reads.wanted().end());
      append(read_node(state, parent, begin,
                       static_cast<std::uint32_t>(reads.wanted().size())));
      return first;
    }
    if (auto* error = std::get_if<sql::SqlError>(&result)) {
      State next = now;
      next.drawn = drawn;
      next.ready.clear();
      next.before = state;
      next.result = {};
      next.caught = *error;
      if (!error->is_ours) next.process.fail(*error);
      if (!next.saved.empty() && next.process.is_failing() &&
          next.process.run(budget_).kind == sql::Request::Kind::RollBackTo) {
        advance(next);
        state = add_state(std::move(next));
        parent = kNoNode;
        continue;
      }
      State over{now.instance, now.process,       now.request, drawn,
                 {},           std::move(*error), state,       {}};
      const bool is_ours = over.error->is_ours;
      append(node_of(add_state(std::move(over)),
                     is_ours ? exec::Stop::Bound : exec::Stop::Abort));
      return first;
    }
    auto& effect = std::get<StatementEffect>(result);
    bool is_outgrown = false;
    for (const StatementEffect::Write& write : effect.writes) {
      auto key = universe_.open_key(write.table, write.key);
      if (!key) {
        universe_.want(write.table, write.key);
        if (new_keys_ == NewKeys::GiveUp) {
          is_outgrown = true;
          continue;
        }
        universe_.grow();
        key = universe_.open_key(write.table, write.key);
      }
      if (now.saved.empty()) append_write(state, write);
    }
    if (is_outgrown) {
      budget_.cancel();  // this search is worth nothing any more
      append(node_of(state, exec::Stop::Bound));
      return first;
    }
    State next{now.instance, now.process};
    next.drawn = std::move(drawn);
    next.claims = now.claims;
    next.before = state;
    next.saved = now.saved;
    next.held = now.held;
    if (!now.saved.empty())
      next.held.insert(next.held.end(), effect.writes.begin(),
                       effect.writes.end());
    if (keeps_results_) next.result = effect.result;
    Claims::merge(effect.claims, next.claims);
    next.process.answer(effect.result);
    advance(next);
    state = add_state(std::move(next));
    parent = kNoNode;
  }
}

bool Transactions::can_commit(std::span<const std::int64_t* const> all) {
  claimed_.clear();
  for (const std::int64_t* slots : all) {
    const Node& node = nodes_[static_cast<std::size_t>(slots[0])];
    const Claims::Changes& claims = states_[node.state].claims;
    if (!claims.empty()) claimed_.push_back(&claims);
  }
  return claimed_.size() < 2 || universe_.claims().allow(claimed_);
}

Transactions::Ended Transactions::ended(const std::int64_t* slots) const {
  const Node& node = nodes_[static_cast<std::size_t>(slots[0])];
  const State& state = states_[node.state];
  Ended out;
  out.is_committed = node.event.stop == exec::Stop::Commit;
  out.variables = state.process.slots();
  if (state.error) out.error = &*state.error;
  if (!state.error && state.request.kind == sql::Request::Kind::Failed) {
    out.error = &state.process.error();
  }
  return out;
}

std::vector<Transactions::Ran> Transactions::statements(
    const std::int64_t* slots) const {
  std::uint32_t number = nodes_[static_cast<std::size_t>(slots[0])].state;
  Ran last;
  last.pc = number;
  last.at = place(number);
  last.variables = states_[number].process.slots();
  if (states_[number].error) {
    // The statement of the state before is the one that failed.
    last.pc = states_[number].before;
    last.statement = states_[number].request.statement;
    last.error = &*states_[number].error;
    number = last.pc;
  } else if (states_[number].request.kind == sql::Request::Kind::Failed) {
    last.error = &states_[number].process.error();
  }
  std::vector<Ran> out = {last};
  for (; states_[number].before != kNoNode; number = states_[number].before) {
    const State& after = states_[number];
    const State& run = states_[after.before];
    out.push_back({after.before, run.request.statement->at,
                   run.request.statement, run.process.slots(),
                   after.caught ? nullptr : &after.result,
                   after.caught ? &*after.caught : nullptr});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

bool Transactions::holds(std::size_t condition,
                         std::span<const std::int64_t> finals,
                         const std::int64_t* const* locals, std::int64_t*) {
  const sql::Property& property = application_.properties[condition];
  judging_.clear();
  judging_.push_back(static_cast<std::int64_t>(condition));
  for (const std::uint32_t key : script_.conditions[condition].keys)
    judging_.push_back(finals[key]);
  std::vector<sql::Value> variables;
  for (const sql::VariableRef& ref : property.variables) {
    for (std::size_t i = 1; i < script_.instances.size(); ++i) {
      if (script_.instances[i].session != ref.session ||
          script_.instances[i].call != ref.call) {
        continue;
      }
      if (locals[i] == nullptr) return true;
      const Ended end = ended(locals[i]);
      if (!end.is_committed) return true;
      variables.push_back(end.variables[ref.slot]);
      judging_.push_back(locals[i][0]);
    }
  }
  const auto known = judged_.find(judging_);
  if (known != judged_.end()) return known->second;
  const bool result = evaluate(property, finals, variables);
  judged_.emplace(judging_, result);
  return result;
}

bool Transactions::evaluate(const sql::Property& property,
                            std::span<const std::int64_t> finals,
                            std::span<const sql::Value> variables) {
  FinalRows store(routines_, universe_, finals);
  if (!store.is_lawful(tables_of(application_, property))) return true;
  sql::Evaluator evaluator(routines_, store, variables, budget_);
  const auto rows =
      evaluator.select(*std::get<sql::Select>(property.condition.what));
  if (std::holds_alternative<sql::Interrupted>(rows))
    return true;  // no verdict
  const auto* found = std::get_if<std::vector<sql::Row>>(&rows);
  return found != nullptr && found->size() == 1 && found->front()[0].is_true();
}
}  // namespace txscope::explore
