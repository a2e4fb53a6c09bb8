#include "robust/proof/program_types.h"

#include <algorithm>
#include <set>

#include "robust/proof/prover.h"
#include "verify/symbolic_expr.h"

namespace txscope::robust {
namespace {

using smt::Term;

constexpr std::uint32_t kKey = 0;  // columns of a place's table
constexpr std::uint32_t kValue = 1;

/// Locals that a block assigns, and places that it writes.
struct Assigned {
  std::set<std::uint32_t> locals;
  std::set<std::uint32_t> tables;

  // Depth: Program::kMaxNesting.
  void note(const Block& block) {
    for (const Statement& s : block) {
      std::visit([this](const auto& what) { note(what); }, s.what);
    }
  }
  void note(const ReadRow& s) { locals.insert(s.to.index); }
  void note(const WriteRow& s) { tables.insert(s.row.table.index); }
  void note(const txscope::Assign& s) { locals.insert(s.to.index); }
  void note(const If& s) {
    note(s.then);
    note(s.otherwise);
  }
  void note(const For& s) {
    locals.insert(s.variable.index);
    note(s.body);
  }
  void note(const While& s) { note(s.body); }
  template <class Other>
  void note(const Other&) {}
};

class ProgramSummarizer {
 public:
  ProgramSummarizer(const Program& program, const Transaction& transaction,
                    Symbols& symbols)
      : program_(program),
        symbols_(symbols),
        terms_(symbols.terms()),
        expressions_(terms_, program),
        alive_(terms_.boolean(true)),
        aborted_(terms_.boolean(false)) {
    out_.name = transaction.name;
    out_.facts = terms_.boolean(true);
    for (const std::string& name : transaction.locals)
      locals_.push_back(symbols_.integer(name));
    names_.local = [this](std::uint32_t local) {
      return verify::SymbolicValue{locals_[local], terms_.boolean(false)};
    };
  }

  Summary run(const Transaction& transaction) {
    block(transaction.body);
    out_.commits = terms_.negation(aborted_);
    return std::move(out_);
  }

 private:
  struct Own {  // a write of the transaction
    TableId table;
    Term key;
    Term value;
    Term executed;
  };

  [[nodiscard]] Term executed() {
    return terms_.all_of({alive_, terms_.negation(aborted_)});
  }
  void fact(Term formula) { out_.facts = terms_.all_of({out_.facts, formula}); }
  void abort_if(Term condition) {
    aborted_ =
        terms_.any_of({aborted_, terms_.all_of({executed(), condition})});
  }
  void set(std::uint32_t local, Term value) {
    locals_[local] = terms_.choose(executed(), value, locals_[local]);
  }
  [[nodiscard]] Term value(ExprId expr) {
    const verify::SymbolicValue v = expressions_.evaluate(expr, names_);
    abort_if(v.fault);
    return v.value;
  }
  [[nodiscard]] Term truth(ExprId expr) { return terms_.as_truth(value(expr)); }

  [[nodiscard]] Term key_of(const RowRef& row) {
    if (row.key.empty()) return terms_.integer(0);
    const Term key = value(row.key[0]);
    abort_if(expressions_.is_outside(row.table, key));
    return key;
  }

  [[nodiscard]] Access access(Access::Kind kind, TableId table, Term key,
                              Term before) {
    const Term no = terms_.boolean(false);
    Access a;
    a.kind = kind;
    a.table = table;
    a.columns = {false, true};
    a.row = {{no, key}, {no, before}};
    a.after = a.row;
    a.executed = executed();
    a.holds = a.key_holds = a.found = terms_.boolean(true);
    a.is_exact = true;
    a.fixed = {true, false};
    a.statement = ++statement_;
    a.line = line_;
    return a;
  }

  // Depth: Program::kMaxNesting.
  void block(const Block& statements) {
    for (const Statement& s : statements) {
      line_ = s.at.line;
      std::visit([this](const auto& what) { statement(what); }, s.what);
    }
  }

  void statement(const ReadRow& s) {
    const Term key = key_of(s.row);
    const std::string& name = program_.at(s.row.table).name;
    const Term there = symbols_.integer(name);
    Term seen = there;
    Term is_own = terms_.boolean(false);
    if (is_blurred(s.row.table)) {  // some round may have written it
      is_own = symbols_.flag("own");
      seen = terms_.choose(is_own, symbols_.integer(name), seen);
    }
    for (const Own& own : own_) {
      if (own.table != s.row.table) continue;
      const Term is_it =
          terms_.all_of({own.executed, terms_.equal(own.key, key)});
      is_own = terms_.any_of({is_own, is_it});
      seen = terms_.choose(is_it, own.value, seen);
    }
    Access a = access(Access::Kind::Read, s.row.table, key, there);
    a.executed = terms_.all_of({a.executed, terms_.negation(is_own)});
    out_.accesses.push_back(std::move(a));
    set(s.to.index, seen);
  }

  void statement(const WriteRow& s) {
    const Term key = key_of(s.row);
    const Term written = value(s.values[0]);
    Access a = access(Access::Kind::Update, s.row.table, key,
                      symbols_.integer(program_.at(s.row.table).name));
    a.after[kValue].value = written;
    own_.push_back({s.row.table, key, written, a.executed});
    out_.accesses.push_back(std::move(a));
  }

  void statement(const txscope::Assign& s) { set(s.to.index, value(s.value)); }

  void statement(const If& s) {
    const Term before = alive_;
    const Term taken = truth(s.condition);
    alive_ = terms_.all_of({before, taken});
    block(s.then);
    alive_ = terms_.all_of({before, terms_.negation(taken)});
    block(s.otherwise);
    alive_ = before;
  }

  /// Two rounds, with arbitrary locals at the head of each and after them.
  template <class Head>
  void rounds(const Block& body, const Assigned& assigned, const Head& head) {
    const Term before = alive_;
    Term entered = terms_.boolean(true);
    blurred_.insert(assigned.tables.begin(), assigned.tables.end());
    for (int round = 0; round < 2; ++round) {
      forget(assigned);
      entered = terms_.all_of({entered, symbols_.flag("another round")});
      alive_ = terms_.all_of({before, entered});
      head();
      block(body);
    }
    alive_ = before;
    forget(assigned);
    abort_if(symbols_.flag("an error in another round"));
  }
  void forget(const Assigned& assigned) {
    for (const std::uint32_t local : assigned.locals)
      set(local, symbols_.integer("any"));
  }

  void statement(const For& s) {
    const Term from = value(s.from);
    const Term to = value(s.to);
    Assigned assigned;
    assigned.note(s);
    rounds(s.body, assigned, [&] {
      const Term now = locals_[s.variable.index];
      alive_ = terms_.all_of(
          {alive_, terms_.less_equal(from, now), terms_.less(now, to)});
    });
  }
  void statement(const While& s) {
    Assigned assigned;
    assigned.note(s);
    rounds(s.body, assigned, [&] {
      alive_ = terms_.all_of({alive_, truth(s.condition)});
    });
    (void)truth(s.condition);  // it is evaluated once more
  }

  void statement(const Assert& s) { (void)value(s.condition); }
  void statement(const Assume& s) {
    const Term when = executed();
    const verify::SymbolicValue v = expressions_.evaluate(s.condition, names_);
    abort_if(v.fault);
    fact(terms_.implies(terms_.all_of({when, terms_.negation(v.fault)}),
                        terms_.as_truth(v.value)));
  }
  void statement(const Abort&) { abort_if(terms_.boolean(true)); }

  [[nodiscard]] bool is_blurred(TableId table) const {
    return blurred_.contains(table.index);
  }

  const Program& program_;
  Symbols& symbols_;
  smt::Terms& terms_;
  verify::SymbolicExpressions expressions_;
  verify::SymbolicNames names_;
  Summary out_;
  std::vector<Term> locals_;
  std::vector<Own> own_;
  std::set<std::uint32_t> blurred_;  // tables that a loop may have written
  Term alive_;                       // the conditions of the branches around
  Term aborted_;                     // by `abort` or an error
  std::uint32_t statement_ = 0;
  std::uint32_t line_ = 0;
};

}  // namespace

sql::Schema schema_of(const Program& program) {
  sql::Schema out;
  for (const txscope::Table& place : program.tables) {
    sql::Table table;
    table.name = place.name;
    for (const char* name : {"index", "value"}) {
      sql::Column column;
      column.name = name;
      column.type.name = sql::TypeName::BigInt;
      column.is_nullable = false;
      table.columns.push_back(std::move(column));
    }
    table.has_primary_key = true;
    table.unique.push_back({place.name, {kKey}});
    out.tables.push_back(std::move(table));
  }
  return out;
}

Summary summarize(const Program& program, const Transaction& transaction,
                  Symbols& symbols) {
  return ProgramSummarizer(program, transaction, symbols).run(transaction);
}

std::vector<std::string> type_names(const Program& program) {
  std::vector<std::string> out;
  for (const Transaction& transaction : program.transactions)
    out.push_back(transaction.name);
  for (const ProgramSession& session : program.sessions) {
    for (const Call& call : session.calls) {
      // One whose body stands in the session has only a label.
      const Span at = program.at(call.transaction).at;
      if (session.at.offset <= at.offset && at.offset <= call.at.offset)
        out[call.transaction.index] = session.name + "." + call.label;
    }
  }
  return out;
}

}  // namespace txscope::robust
