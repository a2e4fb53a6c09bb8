#include <algorithm>
#include <unordered_map>

#include "exec/code.h"
#include "exec/machine.h"
#include "model/assigned.h"

namespace txscope::exec {
namespace {

constexpr std::size_t kMaxSlots = 60000;
constexpr std::size_t kMaxInstances = 4000;

/// Where a transaction or condition begins, and the slots it needs.
struct Entry {
  std::uint32_t pc = 0;
  std::uint32_t state_slots = 0;
  std::uint32_t slots = 0;
};

class Compiler {
 public:
  explicit Compiler(const Program& program)
      : program_(program), assigned_(assigned_locals(program)) {}

  Result<Code> run() {
    if (program_.arbitrary) {
      return error(*program_.arbitrary, "'?' has no single value",
                   "explore needs concrete values; verify and robust take "
                   "'?' for every value");
    }
    std::size_t locals = 0;
    for (const Transaction& t : program_.transactions) {
      locals = std::max(locals, t.locals.size());
      if (t.locals.size() > kMaxSlots / 2) {
        return error(t.at, "the transaction has too many locals",
                     "at most 30000");
      }
    }
    code_.failed_words =
        static_cast<std::uint32_t>((program_.properties.size() + 63) / 64);
    code_.assigned_words = static_cast<std::uint32_t>((locals + 63) / 64);
    if (code_.failed_words > 1000) {
      return error(program_.properties.back().at, "too many properties",
                   "at most 64000");
    }
    tables();
    mark_tracked();
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < program_.transactions.size(); ++i) {
      entries.push_back(transaction(program_.transactions[i], i));
      if (overflowed_) {
        return error(program_.transactions[i].at,
                     "the transaction needs too many slots",
                     "use fewer locals and loops");
      }
    }
    if (auto failed = instances(entries)) return std::move(*failed);
    conditions();
    return std::move(code_);
  }

 private:
  Error error(Span at, std::string what, std::string hint) const {
    return {program_.place(at), std::move(what), std::move(hint),
            std::string(program_.line(at))};
  }

  void tables() {
    for (const Table& table : program_.tables) {
      code_.tables.push_back({static_cast<std::uint32_t>(code_.initial.size()),
                              static_cast<std::uint32_t>(table.rows.size()),
                              table.key_columns > 0, table.name});
      for (const Row& row : table.rows) {
        code_.initial.push_back(std::get<std::int64_t>(row.back()));
      }
    }
  }

  /// Locals whose assignment has to be recorded: those that a condition at
  /// the end mentions, and those that are used where they may have no value.
  void mark_tracked() {
    tracked_.resize(program_.transactions.size());
    for (std::size_t i = 0; i < tracked_.size(); ++i) {
      tracked_[i].resize(program_.transactions[i].locals.size());
    }
    for (const LocalRef& ref : program_.local_refs) {
      const Call& call = program_.sessions[ref.session].calls[ref.call];
      tracked_[call.transaction.index][ref.local.index] = true;
    }
    for (std::size_t i = 0; i < tracked_.size(); ++i) {
      track_uses(program_.transactions[i].body, tracked_[i]);
    }
  }

  void track_uses(const Block& block, std::vector<bool>& tracked) {
    for (const Statement& s : block) {
      std::visit([&](const auto& what) { track_uses(what, tracked); }, s.what);
    }
  }
  void track_uses(const ReadRow& s, std::vector<bool>& t) {
    for (const ExprId key : s.row.key) track_uses(key, t);
  }
  void track_uses(const WriteRow& s, std::vector<bool>& t) {
    for (const ExprId key : s.row.key) track_uses(key, t);
    for (const ExprId value : s.values) track_uses(value, t);
  }
  void track_uses(const Assign& s, std::vector<bool>& t) {
    track_uses(s.value, t);
  }
  void track_uses(const If& s, std::vector<bool>& t) {
    track_uses(s.condition, t);
    track_uses(s.then, t);
    track_uses(s.otherwise, t);
  }
  void track_uses(const For& s, std::vector<bool>& t) {
    track_uses(s.from, t);
    track_uses(s.to, t);
    track_uses(s.body, t);
  }
  void track_uses(const While& s, std::vector<bool>& t) {
    track_uses(s.condition, t);
    track_uses(s.body, t);
  }
  void track_uses(const Assert& s, std::vector<bool>& t) {
    track_uses(s.condition, t);
  }
  void track_uses(const Assume& s, std::vector<bool>& t) {
    track_uses(s.condition, t);
  }
  void track_uses(const Abort&, std::vector<bool>&) {}
  void track_uses(ExprId id, std::vector<bool>& tracked) {
    const Expr& e = program_.at(id);
    if (e.op == Operator::Local && assigned_[id.index] != Assigned::Always) {
      tracked[e.ref] = true;
    }
    for (const ExprId arg : e.arg) {
      if (arg != kNone<ExprId>) track_uses(arg, tracked);
    }
  }

  // --- transactions

  Entry transaction(const Transaction& t, std::size_t index) {
    begin_slots(t.locals.size());
    is_tracked_ = &tracked_[index];
    Entry entry;
    entry.pc = here();
    // Loops need hidden slots, which lie below the temporaries.
    state_slots_ += count_hidden(t.body);
    next_hidden_ = code_.first_local() + t.locals.size();
    temporary_ = state_slots_;
    max_slots_ = state_slots_;
    for (std::uint32_t i = 0; i < t.parameters; ++i) mark(LocalId(i), t.at);
    block(t.body);
    emit({Opcode::Commit}, t.at);
    return finish_entry(entry);
  }

  void begin_slots(std::size_t locals) {
    state_slots_ = code_.first_local() + locals;
    temporary_ = state_slots_;
    max_slots_ = state_slots_;
  }

  Entry finish_entry(Entry entry) {
    overflowed_ = overflowed_ || max_slots_ > kMaxSlots;
    entry.state_slots = static_cast<std::uint32_t>(state_slots_);
    entry.slots = static_cast<std::uint32_t>(max_slots_);
    code_.max_slots = std::max(code_.max_slots, entry.slots);
    return entry;
  }

  static std::size_t count_hidden(const Block& b) {
    std::size_t n = 0;
    for (const Statement& s : b) {
      if (const auto* branch = std::get_if<If>(&s.what)) {
        n += count_hidden(branch->then) + count_hidden(branch->otherwise);
      } else if (const auto* loop = std::get_if<For>(&s.what)) {
        n += 2 + count_hidden(loop->body);
      } else if (const auto* whole = std::get_if<While>(&s.what)) {
        n += 1 + count_hidden(whole->body);
      }
    }
    return n;
  }

  void block(const Block& b) {
    for (const Statement& s : b) {
      statement_ = s.at;
      std::visit([&](const auto& what) { statement(what, s.at); }, s.what);
      temporary_ = state_slots_;
    }
  }

  void statement(const ReadRow& s, Span at) {
    const std::uint16_t key = row_key(s.row);
    emit({Opcode::Read, local_slot(s.to), key, 0, s.row.table.index}, at);
    mark(s.to, at);
  }
  void statement(const WriteRow& s, Span at) {
    const std::uint16_t key = row_key(s.row);
    const std::uint16_t value = operand(s.values.at(0));
    emit({Opcode::Write, 0, key, value, s.row.table.index}, at);
  }
  void statement(const Assign& s, Span at) {
    expression(s.value, local_slot(s.to));
    mark(s.to, at);
  }
  void statement(const If& s, Span at) {
    const std::uint16_t condition = operand(s.condition);
    const std::uint32_t skip = emit({Opcode::JumpIfZero, 0, condition}, at);
    temporary_ = state_slots_;
    block(s.then);
    if (s.otherwise.empty()) {
      code_.instructions[skip].imm = here();
      return;
    }
    const std::uint32_t out = emit({Opcode::Jump}, at);
    code_.instructions[skip].imm = here();
    block(s.otherwise);
    code_.instructions[out].imm = here();
  }
  void statement(const For& s, Span at) {
    const auto now = static_cast<std::uint16_t>(next_hidden_++);
    const auto end = static_cast<std::uint16_t>(next_hidden_++);
    expression(s.from, now);
    temporary_ = state_slots_;
    expression(s.to, end);
    temporary_ = state_slots_;
    const std::uint32_t head =
        emit({Opcode::ForRound, local_slot(s.variable), now, end}, at);
    mark(s.variable, at);
    block(s.body);
    emit({Opcode::Jump, 0, 0, 0, head}, at);
    code_.instructions[head].imm = here();
  }
  void statement(const While& s, Span at) {
    const auto rounds = static_cast<std::uint16_t>(next_hidden_++);
    emit({Opcode::Load, rounds, 0, 0, constant(0)}, at);
    const std::uint32_t head = here();
    const std::uint16_t condition = operand(s.condition);
    const std::uint32_t out = emit({Opcode::JumpIfZero, 0, condition}, at);
    temporary_ = state_slots_;
    emit({Opcode::Round, rounds}, at);
    block(s.body);
    emit({Opcode::Jump, 0, 0, 0, head}, at);
    code_.instructions[out].imm = here();
  }
  void statement(const Assert& s, Span at) {
    emit({Opcode::Assert, 0, operand(s.condition), 0, s.property.index}, at);
  }
  void statement(const Assume& s, Span at) {
    code_.has_assumptions = true;
    emit({Opcode::Assume, 0, operand(s.condition)}, at);
  }
  void statement(const Abort&, Span at) { emit({Opcode::Abort}, at); }

  std::uint16_t row_key(const RowRef& row) {
    return row.key.empty() ? kNoSlot : operand(row.key[0]);
  }
  std::uint16_t local_slot(LocalId local) const {
    return static_cast<std::uint16_t>(code_.first_local() + local.index);
  }
  void mark(LocalId local, Span at) {
    if ((*is_tracked_)[local.index]) {
      emit({Opcode::Mark, 0, 0, 0, local.index}, at);
    }
  }

  // --- expressions

  /// The slot that holds the value: a local's own, or a temporary.
  std::uint16_t operand(ExprId id) {
    const Expr& e = program_.at(id);
    if (e.op == Operator::Local) {
      require(id);
      return local_slot(LocalId(e.ref));
    }
    const auto slot = static_cast<std::uint16_t>(
        std::min<std::size_t>(temporary_, kMaxSlots));
    ++temporary_;
    max_slots_ = std::max(max_slots_, temporary_);
    expression(id, slot);
    return slot;
  }

  void require(ExprId id) {
    if (assigned_[id.index] == Assigned::Always) return;
    const Expr& e = program_.at(id);
    emit({Opcode::Require, 0, 0, 0, e.ref}, e.at);
  }

  void expression(ExprId id, std::uint16_t dst) {
    const Expr& e = program_.at(id);
    const std::size_t temporaries = temporary_;
    switch (e.op) {
      case Operator::Constant:
        emit({Opcode::Load, dst, 0, 0, constant(e.constant)}, e.at);
        break;
      case Operator::Local:
        require(id);
        emit({Opcode::Copy, dst, local_slot(LocalId(e.ref))}, e.at);
        break;
      case Operator::FinalRow: {
        const std::uint16_t key =
            e.arg[0] == kNone<ExprId> ? kNoSlot : operand(e.arg[0]);
        emit({Opcode::Final, dst, key, 0, e.ref}, e.at);
        break;
      }
      case Operator::LocalOf:
        emit({Opcode::LocalOf, dst, 0, 0, e.ref}, e.at);
        break;
      case Operator::And:
      case Operator::Or: short_circuit(e, dst); break;
      case Operator::Conditional: conditional(e, dst); break;
      default: {
        const std::uint16_t a = operand(e.arg[0]);
        const std::uint16_t b =
            e.arg[1] == kNone<ExprId> ? a : operand(e.arg[1]);
        emit({static_cast<Opcode>(e.op), dst, a, b}, e.at);
        break;
      }
    }
    temporary_ = temporaries;
  }

  void short_circuit(const Expr& e, std::uint16_t dst) {
    const bool is_and = e.op == Operator::And;
    const std::uint16_t a = operand(e.arg[0]);
    const std::uint32_t early =
        emit({is_and ? Opcode::JumpIfZero : Opcode::JumpIfNotZero, 0, a}, e.at);
    const std::uint16_t b = operand(e.arg[1]);
    emit({Opcode::Truth, dst, b}, e.at);
    const std::uint32_t out = emit({Opcode::Jump}, e.at);
    code_.instructions[early].imm = here();
    emit({Opcode::Load, dst, 0, 0, constant(is_and ? 0 : 1)}, e.at);
    code_.instructions[out].imm = here();
  }

  void conditional(const Expr& e, std::uint16_t dst) {
    const std::uint16_t condition = operand(e.arg[0]);
    const std::uint32_t no = emit({Opcode::JumpIfZero, 0, condition}, e.at);
    expression(e.arg[1], dst);
    const std::uint32_t out = emit({Opcode::Jump}, e.at);
    code_.instructions[no].imm = here();
    expression(e.arg[2], dst);
    code_.instructions[out].imm = here();
  }

  // --- sessions and conditions

  std::optional<Error> instances(const std::vector<Entry>& entries) {
    code_.instances.emplace_back();  // init
    code_.instance_code.emplace_back();
    for (std::size_t s = 0; s < program_.sessions.size(); ++s) {
      const ProgramSession& session = program_.sessions[s];
      code_.first_of_session.push_back(InstanceId(code_.instances.size()));
      for (std::size_t c = 0; c < session.calls.size(); ++c) {
        Code::Instance instance;
        instance.session = static_cast<std::uint32_t>(s);
        instance.call = static_cast<std::uint32_t>(c);
        const Entry& entry = entries[session.calls[c].transaction.index];
        instance.state_slots = entry.state_slots;
        instance.slots = entry.slots;
        code_.instances.push_back(instance);
        Code::InstanceCode body{entry.pc, {}};
        for (const Value& v : session.calls[c].arguments) {
          body.arguments.push_back(std::get<std::int64_t>(v));
        }
        code_.instance_code.push_back(std::move(body));
        if (code_.instances.size() > kMaxInstances) {
          return error(session.calls[c].at, "too many transactions",
                       "at most 3999 in all sessions together");
        }
      }
    }
    code_.first_of_session.push_back(InstanceId(code_.instances.size()));
    for (const LocalRef& ref : program_.local_refs) {
      const ProgramSession& session = program_.sessions[ref.session];
      const Call& call = session.calls[ref.call];
      code_.local_refs.push_back(
          {InstanceId(code_.first_of_session[ref.session].index + ref.call),
           code_.first_local() + ref.local.index, ref.local,
           session.name + "." + call.label + "." +
               program_.at(call.transaction).locals[ref.local.index]});
    }
    return std::nullopt;
  }

  void conditions() {
    code_.properties = program_.properties.size();
    for (const EndCondition& end : program_.end_conditions) {
      begin_slots(0);
      Code::Condition condition;
      condition.property = end.property;
      condition.at = end.at;
      condition.kind = program_.at(end.property).kind;
      Code::ConditionCode body{here(), {}};
      const std::uint16_t value = operand(end.condition);
      emit({Opcode::Result, 0, value}, end.at);
      finish_entry({});
      mentioned(end.condition, condition, body);
      std::sort(condition.keys.begin(), condition.keys.end());
      condition.keys.erase(
          std::unique(condition.keys.begin(), condition.keys.end()),
          condition.keys.end());
      code_.conditions.push_back(std::move(condition));
      code_.condition_code.push_back(std::move(body));
    }
  }

  void mentioned(ExprId id, Code::Condition& condition,
                 Code::ConditionCode& body) const {
    const Expr& e = program_.at(id);
    if (e.op == Operator::LocalOf) body.local_refs.push_back(e.ref);
    if (e.op == Operator::FinalRow) {
      const Code::TableCode& table = code_.tables[e.ref];
      std::uint32_t first = table.first_key;
      std::uint32_t size = table.size;
      if (e.arg[0] != kNone<ExprId> &&
          program_.at(e.arg[0]).op == Operator::Constant) {
        first += static_cast<std::uint32_t>(program_.at(e.arg[0]).constant);
        size = 1;
      }
      for (std::uint32_t i = 0; i < size; ++i) {
        condition.keys.push_back(first + i);
      }
    }
    for (const ExprId arg : e.arg) {
      if (arg != kNone<ExprId>) mentioned(arg, condition, body);
    }
  }

  // --- output

  [[nodiscard]] std::uint32_t here() const {
    return static_cast<std::uint32_t>(code_.instructions.size());
  }
  std::uint32_t emit(Instruction instruction, Span at) {
    code_.instructions.push_back(instruction);
    code_.places.push_back(at);
    code_.statements.push_back(statement_);
    return here() - 1;
  }
  std::uint32_t constant(std::int64_t value) {
    const auto [found, is_new] = constant_index_.emplace(
        value, static_cast<std::uint32_t>(code_.constants.size()));
    if (is_new) code_.constants.push_back(value);
    return found->second;
  }

  const Program& program_;
  const std::vector<Assigned> assigned_;
  std::vector<std::vector<bool>> tracked_;  // by transaction, by local
  const std::vector<bool>* is_tracked_ = nullptr;
  std::unordered_map<std::int64_t, std::uint32_t> constant_index_;
  Span statement_;
  std::size_t state_slots_ = 0;
  std::size_t next_hidden_ = 0;
  std::size_t temporary_ = 0;  // the next free one
  std::size_t max_slots_ = 0;
  bool overflowed_ = false;
  Code code_;
};

}  // namespace

Result<Code> compile(const Program& program) { return Compiler(program).run(); }

std::string instance_name(const Workload& workload, const Script& script,
                          InstanceId instance) {
  if (instance == kInit) return "init";
  return workload.name(script.call_of(instance));
}

std::unique_ptr<Runner> Code::make_runner(std::uint64_t loop_bound,
                                          const Budget& budget) const {
  return std::make_unique<Machine>(*this, loop_bound, budget);
}

std::string Code::key_name(KeyId key) const {
  for (const TableCode& table : tables) {
    if (key.index - table.first_key >= table.size) continue;
    if (!table.is_array) return table.name;
    return table.name + "[" + std::to_string(key.index - table.first_key) + "]";
  }
  return "?";
}

}  // namespace txscope::exec
