#include <cassert>
#include <unordered_map>

#include "exec/sql/routine/routine_code.h"

namespace txscope::sql {
namespace {

class Compiler {
 public:
  explicit Compiler(const Routine& routine) {
    code_.routine = &routine;
    code_.slots = static_cast<std::uint32_t>(routine.variables.size());
    code_.cursors = static_cast<std::uint32_t>(routine.cursors.size());
  }

  RoutineCode run() {
    block(code_.routine->body);
    emit(Do::End);
    return std::move(code_);
  }

 private:
  /// Something that EXIT may leave: a loop, or a labelled block.
  struct Open {
    LabelId label;
    bool is_loop = true;
    bool is_guard = false;                 ///< a block with handlers
    Instruction leave;                     ///< what leaving it takes
    std::vector<std::uint32_t> exits;      ///< jumps to behind it
    std::vector<std::uint32_t> continues;  ///< jumps to its next round
  };

  void block(const PlBlock& statements) {
    for (const PlStatement& s : statements) {
      const PlStatement* around = statement_;
      statement_ = &s;
      std::visit([this](const auto& what) { compile(what); }, s.what);
      statement_ = around;
    }
  }

  std::uint32_t here() const {
    return static_cast<std::uint32_t>(code_.instructions.size());
  }
  std::uint32_t emit(Instruction instruction) {
    if (instruction.statement == nullptr) instruction.statement = statement_;
    code_.instructions.push_back(instruction);
    return here() - 1;
  }
  std::uint32_t emit(Do what, std::uint32_t target = 0) {
    Instruction instruction;
    instruction.what = what;
    instruction.target = target;
    return emit(instruction);
  }
  std::uint32_t emit_unless(const Expr& condition) {
    Instruction instruction;
    instruction.what = Do::JumpUnless;
    instruction.condition = &condition;
    return emit(instruction);
  }
  void land(const std::vector<std::uint32_t>& jumps, std::uint32_t target) {
    for (const std::uint32_t jump : jumps)
      code_.instructions[jump].target = target;
  }
  std::uint32_t hide(std::uint32_t count) {
    code_.slots += count;
    return code_.slots - count;
  }

  void compile(const PlAssign&) { emit(Do::Assign); }
  void compile(const PlExecute&) { emit(Do::Execute); }
  void compile(const PlCall&) { emit(Do::Call); }
  void compile(const PlReturn&) { emit(Do::Return); }
  void compile(const PlRaise&) { emit(Do::Raise); }
  void compile(const PlRowCount&) { emit(Do::RowCount); }
  void compile(const PlOpen& open) { emit_cursor(Do::Open, open.cursor); }
  void compile(const PlFetch& fetch) { emit_cursor(Do::Fetch, fetch.cursor); }
  void compile(const PlClose& close) { emit_cursor(Do::Close, close.cursor); }
  void emit_cursor(Do what, CursorId cursor) {
    Instruction instruction;
    instruction.what = what;
    instruction.cursor = cursor.index;
    emit(instruction);
  }

  void compile(const PlIf& branch) {
    std::vector<std::uint32_t> ends;
    for (const PlIf::Arm& arm : branch.arms) {
      block(arm.before);
      const std::uint32_t skip = emit_unless(arm.condition);
      block(arm.body);
      ends.push_back(emit(Do::Jump));
      land({skip}, here());
    }
    if (branch.must_match) emit(Do::NoCase);
    block(branch.otherwise);
    land(ends, here());
  }

  /// The instructions of any loop; `leave` is the last of them.
  Instruction loop_instruction(Do what, std::uint32_t hidden,
                               std::uint32_t count,
                               std::uint32_t cursor = kNoCursor) {
    Instruction instruction;
    instruction.what = what;
    instruction.hidden = hidden;
    instruction.target = count;
    instruction.cursor = cursor;
    instruction.statement = statement_;
    return instruction;
  }
  void enter(LabelId label, bool is_loop, const Instruction& leave) {
    open_.push_back({label, is_loop, false, leave, {}, {}});
  }
  /// The end of the innermost: `ends` jump to where it is left normally.
  void leave(const std::vector<std::uint32_t>& ends, std::uint32_t next_round) {
    const Open open = std::move(open_.back());
    open_.pop_back();
    land(ends, here());
    if (open.is_loop) emit(open.leave);
    land(open.exits, here());
    land(open.continues, next_round);
  }

  void compile(const PlLoop& loop) {
    const std::uint32_t hidden = hide(1);
    emit(loop_instruction(Do::EnterLoop, hidden, 1));
    enter(loop.label, true, loop_instruction(Do::LeaveLoop, hidden, 1));
    const std::uint32_t head = here();
    block(loop.before);
    std::vector<std::uint32_t> ends;
    if (loop.condition) ends.push_back(emit_unless(*loop.condition));
    emit(loop_instruction(Do::Round, hidden, 1));
    block(loop.body);
    emit(Do::Jump, head);
    leave(ends, head);
  }

  void compile(const PlForRange& loop) {
    const std::uint32_t hidden = hide(4);
    emit(loop_instruction(Do::EnterRange, hidden, 4));
    enter(loop.label, true, loop_instruction(Do::LeaveFor, hidden, 4));
    const std::uint32_t test = emit(loop_instruction(Do::TestRange, hidden, 4));
    block(loop.body);
    const std::uint32_t next = emit(loop_instruction(Do::NextRange, hidden, 4));
    land({next}, test);
    leave({test}, next);
  }

  void compile(const PlForRows& loop) {
    const std::uint32_t hidden = hide(1);
    const std::uint32_t cursor = code_.cursors++;
    emit(loop_instruction(Do::EnterRows, hidden, 1, cursor));
    enter(loop.label, true, loop_instruction(Do::LeaveFor, hidden, 1, cursor));
    const std::uint32_t next =
        emit(loop_instruction(Do::NextRow, hidden, 1, cursor));
    block(loop.body);
    emit(Do::Jump, next);
    leave({next}, next);
  }

  void compile(const PlLabelled& labelled) {
    enter(labelled.label, false, {});
    block(labelled.body);
    leave({}, 0);
  }

  void compile(const PlTry& guarded) {
    const auto number = static_cast<std::uint32_t>(code_.handlers.size());
    code_.handlers.emplace_back();
    emit(loop_instruction(Do::EnterTry, number, 0));
    Open open;
    open.label = kNone<LabelId>;
    open.is_loop = false;
    open.is_guard = true;
    open.leave = loop_instruction(Do::LeaveTry, number, 0);
    open_.push_back(open);
    block(guarded.body);
    open_.pop_back();
    emit(open.leave);
    std::vector<std::uint32_t> ends = {emit(Do::Jump)};
    for (const PlTry::Handler& handler : guarded.handlers) {
      code_.handlers[number].push_back(here());
      block(handler.body);
      ends.push_back(emit(Do::Jump));
    }
    land(ends, here());
  }
  void compile(const PlSavepoint&) { emit(Do::Savepoint); }
  void compile(const PlSetConstraints&) { emit(Do::SetConstraints); }
  void compile(const PlEnd&) { emit(Do::EndTransaction); }

  void compile(const PlExit& exit) {
    for (std::size_t i = open_.size(); i-- > 0;) {
      const bool is_it = open_[i].label == exit.label;
      if (is_it && exit.is_continue) {
        const std::uint32_t jump = emit(Do::Jump);
        open_[i].continues.push_back(jump);
        return;
      }
      if (open_[i].is_loop || open_[i].is_guard) emit(open_[i].leave);
      if (is_it) {
        const std::uint32_t jump = emit(Do::Jump);
        open_[i].exits.push_back(jump);
        return;
      }
    }
    assert(false && "EXIT of a loop that does not enclose it");
  }

  RoutineCode code_;
  const PlStatement* statement_ = nullptr;
  std::vector<Open> open_;
};

}  // namespace

RoutineCode compile_routine(const Routine& routine) {
  return Compiler(routine).run();
}

}  // namespace txscope::sql
