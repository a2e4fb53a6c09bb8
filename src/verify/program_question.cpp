#include "verify/program_question.h"

#include <algorithm>
#include <set>

#include "verify/symbolic_expr.h"

namespace txscope::verify {
namespace {

using smt::Term;

constexpr std::size_t kMaxRows = 1u << 16;
constexpr std::size_t kMaxPlaces = 1u << 20;

class QuestionMaker {
 public:
  QuestionMaker(const Program& program, const SummaryOptions& options,
                const Budget& budget)
      : program_(program), options_(options), budget_(budget) {
    out_.question.terms = std::make_unique<smt::Terms>();
    t_ = out_.question.terms.get();
    if (options.is_unbounded) t_->make_unbounded();
  }

  Result<ProgramQuestion> run() {
    if (auto error = make_initial()) return std::move(*error);
    make_arguments();
    summarize_all();  // once to see who writes what
    find_writers();
    summarize_all();
    auto txns = guarded();
    if (places_ > kMaxPlaces) return too_large(program_.sessions[0].at);
    Question& q = out_.question;
    q.encoding = std::make_unique<symbolic::HistoryEncoding>(
        *t_, std::move(txns), columns_of(initial_));
    make_assumptions();
    make_rules();
    find_identical_sessions();
    return std::move(out_);
  }

  /// Of a program in which everything is given.
  std::optional<Error> failed_assumption() {
    if (auto error = make_initial()) return error;
    make_arguments();
    make_assumptions();
    for (const NamedAssumption& a : out_.question.assumptions) {
      if (t_->is_true(a.holds)) continue;
      return Error{
          a.where,
          "the program does not satisfy the assumption '" + a.name + "'",
          "nothing was run; change the initial values, the arguments "
          "or the assumption",
          a.line};
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] Error too_large(Span at) const {
    return {program_.place(at), "the program is too large to verify",
            "use smaller arrays, or fewer accesses whose index is unknown",
            std::string(program_.line(at))};
  }

  std::optional<Error> make_initial() {
    for (const Table& table : program_.tables) {
      first_key_.push_back(initial_.size());
      if (initial_.size() + table.rows.size() > kMaxRows) {
        return too_large(table.at);
      }
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const Value& value = table.rows[r].back();
        if (const auto* known = std::get_if<std::int64_t>(&value)) {
          initial_.push_back(t_->integer(*known));
          continue;
        }
        std::string name = table.name;
        if (table.key_columns > 0) name += "[" + std::to_string(r) + "]";
        ProgramQuestion::Origin origin;
        origin.table = TableId(first_key_.size() - 1);
        origin.row = r;
        initial_.push_back(open(std::move(name), origin));
      }
    }
    return std::nullopt;
  }

  Term open(std::string name, const ProgramQuestion::Origin& origin) {
    const Term x = t_->unknown(name, smt::Bounds{});
    if (t_->is_unbounded()) {
      out_.question.ranges.push_back(t_->within(x, smt::Bounds{}));
    }
    out_.question.inputs.push_back({std::move(name), x});
    out_.origins.push_back(origin);
    return x;
  }

  void make_arguments() {
    for (std::size_t s = 0; s < program_.sessions.size(); ++s) {
      const ProgramSession& session = program_.sessions[s];
      first_of_session_.push_back(arguments_.size());
      for (std::size_t c = 0; c < session.calls.size(); ++c) {
        const Call& call = session.calls[c];
        const Transaction& callee = program_.at(call.transaction);
        std::vector<Term> terms;
        for (std::size_t a = 0; a < call.arguments.size(); ++a) {
          if (const auto* known =
                  std::get_if<std::int64_t>(&call.arguments[a])) {
            terms.push_back(t_->integer(*known));
            continue;
          }
          ProgramQuestion::Origin origin;
          origin.session = s;
          origin.call = c;
          origin.argument = a;
          terms.push_back(
              open(session.name + "." + call.label + "." + callee.locals[a],
                   origin));
        }
        arguments_.push_back(std::move(terms));
        calls_.push_back({s, &call});
        out_.question.transactions.push_back(callee.name);
      }
    }
  }

  void summarize_all() {
    out_.summaries.clear();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      SummaryOptions options = options_;
      if (!writers_.empty()) {
        options.fixed = [this, i](TableId table, Term index) {
          return fixed_value(i, table, index);
        };
      }
      out_.summaries.push_back(summarize(*t_, program_,
                                         calls_[i].call->transaction,
                                         arguments_[i], options, budget_));
    }
  }

  /// The rows that an access can be of.
  [[nodiscard]] std::pair<std::size_t, std::size_t> rows(TableId table,
                                                         Term index) const {
    if (const auto known = t_->value(index)) {
      const auto i = static_cast<std::size_t>(*known);
      return {i, i + 1};
    }
    return {0, program_.at(table).rows.size()};
  }

  void find_writers() {
    writers_.assign(initial_.size(), {});
    for (std::size_t i = 0; i < out_.summaries.size(); ++i) {
      for (const SymbolicEvent& e : out_.summaries[i].events) {
        if (e.kind != SymbolicEvent::Kind::Write) continue;
        const auto [begin, end] = rows(e.table, e.index);
        for (std::size_t r = begin; r < end; ++r) {
          writers_[first_key_[e.table.index] + r].insert(i);
        }
      }
    }
  }

  /// A row that nobody else writes keeps its initial value.
  [[nodiscard]] std::optional<Term> fixed_value(std::size_t reader,
                                                TableId table,
                                                Term index) const {
    const auto known = t_->value(index);
    if (!known) return std::nullopt;
    const std::size_t key =
        first_key_[table.index] + static_cast<std::size_t>(*known);
    const auto& writers = writers_[key];
    const bool is_written = writers.size() > 1 ||
                            (writers.size() == 1 && *writers.begin() != reader);
    if (is_written) return std::nullopt;
    return initial_[key];
  }

  std::vector<symbolic::GuardedTxn> guarded() {
    std::vector<symbolic::GuardedTxn> txns;
    for (std::size_t i = 0; i < out_.summaries.size(); ++i) {
      const Summary& summary = out_.summaries[i];
      symbolic::GuardedTxn txn;
      txn.session = static_cast<std::uint32_t>(calls_[i].session);
      txn.committed = summary.committed;
      txn.finished = t_->any_of({summary.committed, summary.aborted});
      for (const SymbolicEvent& e : summary.events) {
        if (places_ > kMaxPlaces) break;
        add_event(e, txn);
      }
      txns.push_back(std::move(txn));
    }
    return txns;
  }

  void add_event(const SymbolicEvent& e, symbolic::GuardedTxn& txn) {
    symbolic::GuardedRead read;
    const auto [begin, end] = rows(e.table, e.index);
    for (std::size_t r = begin; r < end; ++r) {
      ++places_;
      const KeyId key(first_key_[e.table.index] + r);
      const Term guard = t_->all_of(
          {e.guard,
           t_->equal(e.index, t_->integer(static_cast<std::int64_t>(r)))});
      if (t_->is_false(guard)) continue;
      if (e.kind == SymbolicEvent::Kind::Write) {
        txn.writes.push_back({key, guard, {e.value}});
      } else {
        read.places.push_back({key, guard});
      }
    }
    if (e.kind == SymbolicEvent::Kind::Write) return;
    read.values = {e.value};
    txn.reads.push_back(std::move(read));
  }

  static std::vector<std::vector<Term>> columns_of(
      const std::vector<Term>& values) {
    std::vector<std::vector<Term>> out;
    out.reserve(values.size());
    for (const Term v : values) out.push_back({v});
    return out;
  }

  /// The value at `index`, which is in range or does not matter.
  template <class At>
  Term row_at(TableId table, Term index, At&& at) {
    const auto [begin, end] = rows(table, index);
    Term value = t_->integer(0);
    for (std::size_t r = begin;
         r < std::min(end, program_.at(table).rows.size()); ++r) {
      const Term is_it =
          t_->equal(index, t_->integer(static_cast<std::int64_t>(r)));
      value = t_->choose(is_it, at(first_key_[table.index] + r), value);
    }
    return value;
  }

  void make_assumptions() {
    SymbolicExpressions expressions(*t_, program_);
    SymbolicNames names;
    names.row = [this](TableId table, Term index) {
      return row_at(table, index,
                    [this](std::size_t k) { return initial_[k]; });
    };
    names.local_of = [this](std::uint32_t ref) {
      const LocalRef& local = program_.local_refs[ref];
      const std::size_t i = first_of_session_[local.session] + local.call;
      return SymbolicValue{arguments_[i][local.local.index],
                           t_->boolean(false)};
    };
    for (const InputAssumption& a : program_.assumptions) {
      out_.question.assumptions.push_back(
          {a.name, expressions.is_true(a.condition, names),
           program_.place(a.at), std::string(program_.line(a.at))});
    }
  }

  void make_rules() {
    std::vector<Term> broken(program_.properties.size(), t_->boolean(false));
    const auto add = [&](PropertyId p, Term when) {
      broken[p.index] = t_->any_of({broken[p.index], when});
    };
    std::vector<Term> faults;
    std::vector<Term> cuts;
    for (std::size_t i = 0; i < out_.summaries.size(); ++i) {
      const Summary& summary = out_.summaries[i];
      const Term runs = out_.question.encoding->runs(i + 1);
      for (const auto& [p, fails] : summary.failures) add(p, fails);
      faults.push_back(t_->all_of({runs, summary.faulted}));
      cuts.push_back(t_->all_of({runs, summary.cut}));
    }
    SymbolicExpressions expressions(*t_, program_);
    for (const EndCondition& end : program_.end_conditions) {
      add(end.property, t_->negation(end_condition(expressions, end)));
    }
    for (std::size_t p = 0; p < broken.size(); ++p) {
      const Property& property = program_.properties[p];
      out_.question.rules.push_back(
          {property.name, std::string(name(property.kind)), broken[p], true});
      out_.properties.emplace_back(PropertyId(p));
    }
    out_.question.rules.push_back(
        {"errors", "errors", t_->any_of(faults), false});
    out_.properties.emplace_back(std::nullopt);
    out_.question.cut = t_->any_of(cuts);
  }

  /// True, or speaks of a local that has no value.
  Term end_condition(SymbolicExpressions& expressions,
                     const EndCondition& end) {
    std::vector<Term> assigned;
    SymbolicNames names;
    names.row = [this](TableId table, Term index) {
      return row_at(table, index, [this](std::size_t k) { return final(k); });
    };
    names.local_of = [this](std::uint32_t ref) {
      return SymbolicValue{summary_of(ref).locals[local_of(ref)],
                           t_->boolean(false)};
    };
    mentioned(end.condition, [&](std::uint32_t ref) {
      assigned.push_back(summary_of(ref).assigned[local_of(ref)]);
    });
    return t_->implies(t_->all_of(assigned),
                       expressions.is_true(end.condition, names));
  }

  [[nodiscard]] const Summary& summary_of(std::uint32_t ref) const {
    const LocalRef& local = program_.local_refs[ref];
    return out_.summaries[first_of_session_[local.session] + local.call];
  }
  [[nodiscard]] std::size_t local_of(std::uint32_t ref) const {
    return program_.local_refs[ref].local.index;
  }

  Term final(std::size_t key) {
    if (finals_.empty()) finals_.resize(initial_.size());
    if (!finals_[key]) {
      finals_[key] = out_.question.encoding->final_values(KeyId(key))[0];
    }
    return *finals_[key];
  }

  // Depth: Program::kMaxDepth.
  template <class Use>
  void mentioned(ExprId id, Use&& use) const {
    const Expr& e = program_.at(id);
    if (e.op == Operator::LocalOf) use(e.ref);
    for (const ExprId arg : e.arg) {
      if (arg != kNone<ExprId>) mentioned(arg, use);
    }
  }

  /// Sessions that make the same calls and that nothing speaks of by name.
  void find_identical_sessions() {
    std::vector<bool> is_named(program_.sessions.size());
    for (const LocalRef& ref : program_.local_refs) {
      is_named[ref.session] = true;
    }
    std::vector<bool> is_done = is_named;
    for (std::uint32_t s = 0; s < program_.sessions.size(); ++s) {
      if (is_done[s]) continue;
      std::vector<std::uint32_t> group = {s};
      for (std::uint32_t u = s + 1; u < program_.sessions.size(); ++u) {
        if (is_done[u] ||
            !is_same(program_.sessions[s], program_.sessions[u])) {
          continue;
        }
        is_done[u] = true;
        group.push_back(u);
      }
      if (group.size() > 1) {
        out_.question.identical_sessions.push_back(std::move(group));
      }
    }
  }
  static bool is_same(const ProgramSession& a, const ProgramSession& b) {
    return std::ranges::equal(
        a.calls, b.calls, [](const Call& x, const Call& y) {
          return x.transaction == y.transaction && x.arguments == y.arguments;
        });
  }

  struct Called {
    std::size_t session;
    const Call* call;
  };

  const Program& program_;
  SummaryOptions options_;
  const Budget& budget_;
  ProgramQuestion out_;
  smt::Terms* t_ = nullptr;
  std::vector<std::size_t> first_key_;  // by table
  std::vector<Term> initial_;           // by key
  std::vector<std::optional<Term>> finals_;
  std::vector<std::vector<Term>> arguments_;  // by transaction
  std::vector<Called> calls_;
  std::vector<std::size_t> first_of_session_;
  std::vector<std::set<std::size_t>> writers_;  // by key
  std::size_t places_ = 0;
};

}  // namespace

Result<ProgramQuestion> make_question(const Program& program,
                                      const SummaryOptions& options,
                                      const Budget& budget) {
  return QuestionMaker(program, options, budget).run();
}

Program with_inputs(const Program& program, const ProgramQuestion& question,
                    const smt::Model& model) {
  Program out = program;
  for (std::size_t i = 0; i < question.origins.size(); ++i) {
    const ProgramQuestion::Origin& from = question.origins[i];
    const std::int64_t value = model.integer(question.question.inputs[i].value);
    if (from.table) {
      out.tables[from.table->index].rows[from.row].back() = value;
    } else {
      out.sessions[from.session].calls[from.call].arguments[from.argument] =
          value;
    }
  }
  out.arbitrary.reset();
  return out;
}

std::optional<Error> failed_assumption(const Program& program) {
  if (program.assumptions.empty() || program.arbitrary) return std::nullopt;
  return QuestionMaker(program, {}, Budget::unlimited()).failed_assumption();
}

}  // namespace txscope::verify
