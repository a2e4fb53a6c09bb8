#include "model/assigned.h"

#include <type_traits>

namespace txscope {
namespace {

/// Which locals have a value on some path, and which on all paths, to here.
struct Flow {
  std::vector<bool> some;
  std::vector<bool> all;
  bool reached = true;  // false after abort: there is no path

  void assign(LocalId local) { some[local.index] = all[local.index] = true; }
  void join(const Flow& other) {
    if (!other.reached) return;
    if (!reached) {
      *this = other;
      return;
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i] = some[i] || other.some[i];
      all[i] = all[i] && other.all[i];
    }
  }
};

class Analysis {
 public:
  explicit Analysis(const Program& program)
      : program_(program), out_(program.exprs.size(), Assigned::Always) {}

  std::vector<Assigned> run() {
    for (const Transaction& t : program_.transactions) {
      Flow flow{std::vector<bool>(t.locals.size()),
                std::vector<bool>(t.locals.size())};
      for (std::uint32_t i = 0; i < t.parameters; ++i) flow.assign(LocalId(i));
      visit(t.body, flow);
    }
    return std::move(out_);
  }

 private:
  void visit(const Block& block, Flow& flow) {
    for (const Statement& statement : block) {
      std::visit([this, &flow](const auto& what) { visit(what, flow); },
                 statement.what);
    }
  }

  void visit(const ReadRow& read, Flow& flow) {
    for (const ExprId key : read.row.key) use(key, flow);
    flow.assign(read.to);
  }
  void visit(const WriteRow& write, Flow& flow) {
    for (const ExprId key : write.row.key) use(key, flow);
    for (const ExprId value : write.values) use(value, flow);
  }
  void visit(const Assign& assign, Flow& flow) {
    use(assign.value, flow);
    flow.assign(assign.to);
  }
  void visit(const If& branch, Flow& flow) {
    use(branch.condition, flow);
    Flow other = flow;
    visit(branch.then, flow);
    visit(branch.otherwise, other);
    flow.join(other);
  }
  void visit(const For& loop, Flow& flow) {
    use(loop.from, flow);
    use(loop.to, flow);
    const Flow before = flow;
    collect(loop.body, flow);
    flow.assign(loop.variable);
    visit(loop.body, flow);
    flow.join(before);
    flow.all = before.all;
    flow.reached = before.reached;
  }
  void visit(const While& loop, Flow& flow) {
    collect(loop.body, flow);
    use(loop.condition, flow);
    const Flow before = flow;
    visit(loop.body, flow);
    flow.join(before);
    flow.all = before.all;
    flow.reached = before.reached;
  }
  void visit(const Assert& check, Flow& flow) { use(check.condition, flow); }
  void visit(const Assume& check, Flow& flow) { use(check.condition, flow); }
  void visit(const Abort&, Flow& flow) { flow.reached = false; }

  /// Adds what the block assigns to `flow.some`.
  void collect(const Block& block, Flow& flow) {
    for (const Statement& statement : block) {
      std::visit(
          [this, &flow](const auto& what) {
            using What = std::decay_t<decltype(what)>;
            if constexpr (std::is_same_v<What, ReadRow> ||
                          std::is_same_v<What, Assign>) {
              flow.some[what.to.index] = true;
            } else if constexpr (std::is_same_v<What, If>) {
              collect(what.then, flow);
              collect(what.otherwise, flow);
            } else if constexpr (std::is_same_v<What, For>) {
              flow.some[what.variable.index] = true;
              collect(what.body, flow);
            } else if constexpr (std::is_same_v<What, While>) {
              collect(what.body, flow);
            }
          },
          statement.what);
    }
  }

  void use(ExprId id, const Flow& flow) {
    const Expr& e = program_.at(id);
    if (e.op == Operator::Local && flow.reached) {
      if (flow.all[e.ref]) {
        out_[id.index] = Assigned::Always;
      } else {
        out_[id.index] = flow.some[e.ref] ? Assigned::Maybe : Assigned::Never;
      }
    }
    for (const ExprId arg : e.arg) {
      if (arg != kNone<ExprId>) use(arg, flow);
    }
  }

  const Program& program_;
  std::vector<Assigned> out_;
};

}  // namespace

std::vector<Assigned> assigned_locals(const Program& program) {
  return Analysis(program).run();
}

}  // namespace txscope
