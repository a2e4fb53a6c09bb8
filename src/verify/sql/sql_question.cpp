#include "verify/sql/sql_question.h"

#include <algorithm>
#include <map>
#include <set>

#include "exec/sql/process.h"
#include "explore/sql/transactions.h"
#include "verify/sql/function_calls.h"
#include "verify/sql/identical_sessions.h"
#include "verify/sql/symbolic_constraints.h"

namespace txscope::sql {
namespace {

using smt::Term;

constexpr std::size_t kMaxUniverse = 2000;

Error error_at(const Application& application, Span at, std::string what,
               std::string hint) {
  return {application.place(at), std::move(what), std::move(hint),
          std::string(application.line(at))};
}

class SqlQuestionMaker {
 public:
  SqlQuestionMaker(const Routines& routines, const SqlExecutions& executions,
                   const Budget& budget, const MemoryDatabase& initial)
      : application_(routines.application()),
        executions_(executions),
        budget_(budget),
        initial_database_(initial),
        universe_(application_.schema, initial),
        functions_(routines, executions.rounds, budget) {
    out_.question.terms = std::make_unique<smt::Terms>();
    t_ = out_.question.terms.get();
    if (executions.is_unbounded) t_->make_unbounded();
    q_ = std::make_unique<SqlTerms>(*t_);
    q_->functions = &functions_;
    constraints_ =
        std::make_unique<SymbolicConstraints>(*q_, application_.schema);
  }

  SqlQuestion run_inputs() {
    make_arguments();
    find_open_rows();
    make_initial();
    constrain_initial();
    make_assumptions();
    find_keys();
    out_.texts = q_->texts();
    return std::move(out_);
  }

  SqlQuestion run() {
    refuse_tables();
    make_arguments();
    find_open_rows();
    for (int pass = 0;; ++pass) {
      make_initial();
      if (!summarize_all()) continue;  // the universe has grown
      if (is_fixed_) break;
      find_writers();
      is_fixed_ = true;
    }
    let_calls_fail();
    make_encoding();
    constrain_initial();
    allow_commits();
    make_assumptions();
    make_rules();
    out_.question.identical_sessions = identical_sessions(application_);
    out_.rows = universe_.size();
    out_.texts = q_->texts();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Schema& schema() const { return application_.schema; }

  // --- inputs

  void refuse_tables() {
    for (const Table& table : application_.schema.tables) {
      if (!table.triggers.empty())
        throw Unsupported{table.triggers.front().at,
                          "a trigger or generated column"};
      if (!table.partial.empty())
        throw Unsupported{table.at, "a partial unique index"};
      for (const ForeignKey& key : table.foreign) {
        if (key.on_update != OnDelete::NoAction)
          throw Unsupported{key.at, "ON UPDATE CASCADE"};
      }
    }
  }

  void find_keys() {
    std::set<std::int64_t> keys;
    for (std::size_t i = 0; i < schema().tables.size(); ++i) {
      if (!schema().tables[i].has_primary_key) continue;
      for (const KeyUniverse::Entry& entry : universe_.keys(TableId(i))) {
        for (const Value& v : entry.key)
          if (v.kind() == Kind::Integer) keys.insert(v.integer());
      }
    }
    out_.keys.assign(keys.begin(), keys.end());
  }

  void make_arguments() {
    for (std::size_t s = 0; s < application_.sessions.size(); ++s) {
      const Session& session = application_.sessions[s];
      first_of_session_.push_back(calls_.size());
      for (std::size_t c = 0; c < session.calls.size(); ++c) {
        calls_.push_back({s, c, &session.calls[c]});
        out_.question.transactions.push_back(
            application_.at(session.calls[c].routine).name);
        arguments_.push_back(arguments_of(s, c));
      }
    }
  }

  std::vector<SqlTerm> arguments_of(std::size_t s, std::size_t c) {
    const Session& session = application_.sessions[s];
    const Call& call = session.calls[c];
    if (!call.level.empty()) {
      throw Unsupported{call.at, "a level of its own (--@ level)"};
    }
    const Routine& routine = application_.at(call.routine);
    std::vector<SqlTerm> out;
    for (std::size_t a = 0; a < call.arguments.size(); ++a) {
      const Variable& parameter = routine.variables[a + 1];
      if (call.open.empty() || !call.open[a]) {
        out.push_back(q_->cast(q_->constant(call.arguments[a]), parameter.type,
                               true, call.at));
        continue;
      }
      SqlQuestion::Origin origin;
      origin.session = s;
      origin.call = c;
      origin.argument = a;
      origin.name = session.name + "." + call.label + "." + parameter.name;
      out.push_back(open(origin, parameter.type, true, call.at));
    }
    return out;
  }

  SqlTerm open(SqlQuestion::Origin& origin, const Type& type, bool is_nullable,
               Span at) {
    const Term null = is_nullable ? t_->unknown(origin.name + " is null")
                                  : t_->boolean(false);
    origin.value = q_->unknown(origin.name, type, null, at);
    const Term number = origin.value.kind == Kind::Bool
                            ? t_->as_integer(origin.value.value)
                            : origin.value.value;
    out_.question.inputs.push_back(
        {origin.name, t_->choose(null, t_->integer(0), number)});
    if (t_->is_unbounded() && origin.value.kind == Kind::Integer) {
      out_.question.ranges.push_back(t_->within(number, range_of(type.name)));
    }
    out_.origins.push_back(origin);
    return origin.value;
  }

  /// Open columns, in the rows that the setup left.
  void find_open_rows() {
    for (const OpenColumn& column : application_.open_columns) {
      const Table& table = schema().at(column.table);
      if (!table.has_primary_key) {
        throw Unsupported{column.at, "an open column without a primary key"};
      }
      const auto& key = table.unique.front().columns;
      if (std::count(key.begin(), key.end(), column.column) != 0) {
        throw Unsupported{column.at, "an open primary key"};
      }
      const auto keys = universe_.keys(column.table);
      for (std::size_t r = 0; r < keys.size(); ++r) {
        const Place place(column.table.index, keys[r].key);
        if (open_columns_[place].contains(column.column)) continue;
        if (!is_open(column, keys[r].initial)) continue;
        SqlQuestion::Origin origin;
        origin.table = column.table;
        origin.key = keys[r].key;
        origin.column = column.column;
        origin.name = table.name + "." + table.columns[column.column].name +
                      "[" + key_text(keys[r].key) + "]";
        open_columns_[place].emplace(
            column.column,
            open(origin, table.columns[column.column].type,
                 table.columns[column.column].is_nullable, column.at));
      }
    }
  }

  static std::string key_text(const Row& key) {
    std::string text;
    for (const Value& v : key) {
      if (!text.empty()) text += ",";
      text += to_string(v);
    }
    return text;
  }

  bool is_open(const OpenColumn& column, const Row& row) {
    const auto& where = column.rows->where;
    if (!where) return true;
    TermRow terms;
    for (const Value& v : row) terms.push_back(q_->constant(v));
    const TermRow* names[] = {&terms};
    SymbolicQueries queries(*q_, {}, {});
    const Term holds =
        q_->is_true(queries.evaluate(*where, {names, nullptr, nullptr}));
    if (!t_->is_true(holds) && !t_->is_false(holds)) {
      throw Unsupported{column.at, "this condition of an open column"};
    }
    return t_->is_true(holds);
  }

  void make_initial() {
    initial_.clear();
    for (std::size_t i = 0; i < schema().tables.size(); ++i) {
      const Table& table = schema().tables[i];
      initial_.emplace_back();
      for (const KeyUniverse::Entry& entry : universe_.keys(TableId(i))) {
        initial_.back().push_back(initial_row(table, i, entry));
      }
    }
  }

  GuardedRow initial_row(const Table& table, std::size_t i,
                         const KeyUniverse::Entry& entry) {
    GuardedRow row;
    row.present = t_->boolean(entry.is_initial);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Type& type = table.columns[c].type;
      if (kind_of(type.name) == Kind::Numeric && type.size == 0) {
        throw Unsupported{table.columns[c].at, "numeric without a precision"};
      }
      SqlTerm value = q_->null_of(kind_of(type.name));
      if (entry.is_initial && !entry.initial[c].is_null()) {
        value = q_->constant(entry.initial[c]);
      } else if (!table.columns[c].is_nullable) {
        value.null = t_->boolean(false);  // of a row that is not there
        value.scale = scale_of(type);
      }
      row.columns.push_back(value);
    }
    if (!entry.is_initial && table.has_primary_key) {
      const auto& key = table.unique.front().columns;
      for (std::size_t k = 0; k < key.size(); ++k) {
        row.columns[key[k]] = q_->constant(entry.key[k]);
      }
    }
    const auto open = open_columns_.find(Place(i, entry.key));
    if (open == open_columns_.end()) return row;
    for (const auto& [column, value] : open->second) {
      row.columns[column] = value;
    }
    return row;
  }

  // --- transactions

  bool summarize_all() {
    summaries_.clear();
    std::vector<std::pair<TableId, Row>> wanted;
    const OpenKeys keys(application_, universe_, calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      SqlSummaryOptions options;
      options.keys = &keys;
      options.rounds = executions_.rounds;
      options.rereads = executions_.rereads;
      options.instance = i + 1;
      options.instances = calls_.size();
      options.sequences = initial_database_.sequences();
      if (is_fixed_) {
        options.fixed = [this, i](TableId table, std::size_t r) {
          return fixed(i, table, r);
        };
      }
      summaries_.push_back(summarize_call(*q_, application_, universe_,
                                          *calls_[i].call, arguments_[i],
                                          options, wanted, budget_));
    }
    bool has_grown = false;
    for (const auto& [table, key] : wanted) {
      has_grown |= universe_.add(table, key);
    }
    if (universe_.size() > kMaxUniverse) {
      throw Unsupported{application_.sessions[0].at, "so many rows"};
    }
    if (has_grown) is_fixed_ = false;
    return !has_grown;
  }

  void find_writers() {
    writers_.assign(universe_.size(), {});
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      for (const GuardedWrite& w : summaries_[i].writes) {
        writers_[w.key.index].insert(i);
      }
    }
  }

  const GuardedRow* fixed(std::size_t reader, TableId table, std::size_t r) {
    const auto& writers = writers_[universe_.id(table, r).index];
    const bool is_written = writers.size() > 1 ||
                            (writers.size() == 1 && *writers.begin() != reader);
    return is_written ? nullptr : &initial_[table.index][r];
  }

  /// A call that fails has done nothing.  The last one to fail does so because
  /// of another that may fail, and does not.
  void let_calls_fail() {
    std::vector<Term> succeeds;
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      out_.is_covered = out_.is_covered && summaries_[i].is_covered;
      if (executions_.may_fail.empty() || !executions_.may_fail[i]) continue;
      const Session& session = application_.sessions[calls_[i].session];
      const Term stays = t_->negation(
          t_->unknown(session.name + "." + calls_[i].call->label + " fails"));
      succeeds.push_back(stays);
      SqlSummary& summary = summaries_[i];
      summary.committed = t_->all_of({summary.committed, stays});
      for (GuardedRead& read : summary.reads) {
        for (auto& place : read.places) {
          place.guard = t_->all_of({place.guard, stays});
        }
      }
    }
    if (!succeeds.empty()) {
      out_.question.executions.push_back(t_->any_of(succeeds));
    }
  }

  void make_encoding() {
    std::vector<GuardedTxn> txns;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      GuardedTxn txn;
      txn.session = static_cast<std::uint32_t>(calls_[i].session);
      txn.reads = summaries_[i].reads;
      txn.writes = summaries_[i].writes;
      txn.pins = summaries_[i].pins;
      txn.committed = summaries_[i].committed;
      txn.finished = t_->negation(summaries_[i].cut);
      txns.push_back(std::move(txn));
    }
    std::vector<std::vector<Term>> initial;
    for (const auto& rows : initial_) {
      for (const GuardedRow& row : rows) initial.push_back(flattened(row));
    }
    out_.question.encoding = std::make_unique<HistoryEncoding>(
        *t_, std::move(txns), std::move(initial));
    if (executions_.has_locks) {
      for (const Term f : out_.question.encoding->pins()) {
        out_.question.executions.push_back(f);
      }
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const Term beyond = summaries_[i].beyond;
      if (t_->is_false(beyond)) continue;
      out_.question.executions.push_back(t_->negation(
          t_->all_of({out_.question.encoding->runs(i + 1), beyond})));
    }
    name_open_keys();
    std::vector<Term> cuts;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      cuts.push_back(
          t_->all_of({out_.question.encoding->runs(i + 1), summaries_[i].cut}));
    }
    out_.question.cut = t_->any_of(cuts);
  }

  /// "payment 1, 2, 3"
  void name_open_keys() {
    std::set<std::uint32_t> tables;
    for (const SqlSummary& summary : summaries_)
      tables.insert(summary.open_tables.begin(), summary.open_tables.end());
    for (const std::uint32_t table : tables) {
      std::string text = schema().tables[table].name;
      const char* before = " ";
      for (const KeyUniverse::Entry& entry : universe_.keys(TableId(table))) {
        std::string key;
        for (const Value& value : entry.key)
          key += (key.empty() ? "" : "/") + to_string(value);
        text += before + key;
        before = ", ";
      }
      out_.question.keys.push_back(std::move(text));
    }
  }

  // --- constraints

  void constrain_initial() {
    std::vector<TableId> all;
    for (std::size_t i = 0; i < initial_.size(); ++i) all.emplace_back(i);
    out_.question.ranges.push_back(constraints_->is_valid(initial_, true, all));
  }

  /// Values of unique keys are held by one row at most: those that committed
  /// transactions took and did not give back, with those of the setup.
  void allow_commits() {
    for (std::size_t i = 0; i < schema().tables.size(); ++i) {
      const Table& table = schema().tables[i];
      for (const UniqueKey& key : table.unique) allow_commits(i, key);
    }
  }

  void allow_commits(std::size_t table, const UniqueKey& key) {
    struct Taken {
      std::size_t txn;
      const RowChange* change;
      Term commits;
    };
    std::vector<Taken> all;
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      for (const RowChange& change : summaries_[i].changes) {
        if (change.table.index != table) continue;
        all.push_back({i, &change,
                       t_->all_of({out_.question.encoding->runs(i + 1),
                                   summaries_[i].committed, change.guard})});
      }
    }
    for (const Taken& a : all) {
      const Term takes = t_->all_of({a.commits, a.change->after.present});
      if (t_->is_false(takes)) continue;
      Term count = t_->integer(0);
      const auto add = [&](const GuardedRow& row, Term when, bool is_plus) {
        const Term holds = t_->all_of(
            {when, constraints_->same_key(key, row, a.change->after)});
        if (t_->is_false(holds)) return;
        const Term one = t_->as_integer(holds);
        count = is_plus ? t_->add(count, one) : t_->subtract(count, one);
      };
      for (const GuardedRow& row : initial_[table]) {
        add(row, t_->boolean(true), true);
      }
      for (const Taken& b : all) {
        add(b.change->after, b.commits, true);
        add(b.change->before, b.commits, false);
      }
      out_.question.executions.push_back(
          t_->implies(takes, t_->less_equal(count, t_->integer(1))));
    }
  }

  // --- conditions

  /// A property's condition on a state, and whether evaluating it fails.
  Term holds(const Property& property, const SymbolicState& state,
             const std::vector<SqlTerm>& variables) {
    q_->errors.clear();
    q_->path = t_->boolean(true);
    SymbolicQueries queries(
        *q_, variables, [&](TableId table) -> const auto& {
          return state[table.index];
        });
    const Query& query = *std::get<Select>(property.condition.what);
    const SqlTerm value = queries.evaluate(query.targets[0].expr, {});
    const Term out =
        t_->all_of({q_->is_true(value), t_->negation(q_->has_failed())});
    if (!t_->is_false(q_->cut))
      throw Unsupported{property.at, "a loop of a function in a condition"};
    q_->errors.clear();
    return out;
  }

  void make_assumptions() {
    for (const Property& assumption : application_.assumptions) {
      std::vector<SqlTerm> variables;
      for (const VariableRef& ref : assumption.variables) {
        variables.push_back(arguments_[index_of(ref)][ref.slot - 1]);
      }
      out_.question.assumptions.push_back(
          {assumption.name, holds(assumption, initial_, variables),
           application_.place(assumption.at),
           std::string(application_.line(assumption.at))});
    }
  }

  [[nodiscard]] std::size_t index_of(const VariableRef& ref) const {
    return first_of_session_[ref.session] + ref.call;
  }

  GuardedRow unflattened(const Table& table, const std::vector<Term>& terms) {
    GuardedRow row;
    row.present = terms[0];
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Type& type = table.columns[c].type;
      row.columns.push_back({terms[1 + 2 * c], terms[2 + 2 * c],
                             kind_of(type.name), scale_of(type),
                             longest(type)});
    }
    return row;
  }

  void make_rules() {
    SymbolicState finals;
    for (std::size_t i = 0; i < schema().tables.size(); ++i) {
      finals.emplace_back();
      for (std::size_t r = 0; r < initial_[i].size(); ++r) {
        finals.back().push_back(unflattened(
            schema().tables[i],
            out_.question.encoding->final_values(universe_.id(TableId(i), r))));
      }
    }
    for (const Property& property : application_.properties) {
      std::vector<SqlTerm> variables;
      // No execution ends in a state that the tables forbid.
      std::vector<Term> counts = {constraints_->is_valid(
          finals, false, tables_of(application_, property))};
      for (const VariableRef& ref : property.variables) {
        const SqlSummary& summary = summaries_[index_of(ref)];
        variables.push_back(summary.slots[ref.slot]);
        counts.push_back(summary.committed);
      }
      counts.push_back(t_->negation(holds(property, finals, variables)));
      out_.question.rules.push_back({property.name,
                                     std::string(name(property.kind)),
                                     t_->all_of(counts), true});
    }
  }

  struct Called {
    std::size_t session;
    std::size_t number;
    const Call* call;
  };
  using Place = std::pair<std::size_t, Row>;

  const Application& application_;
  const SqlExecutions& executions_;
  const Budget& budget_;
  const MemoryDatabase& initial_database_;
  KeyUniverse universe_;
  SqlQuestion out_;
  smt::Terms* t_ = nullptr;
  std::unique_ptr<SqlTerms> q_;
  FunctionCalls functions_;
  std::unique_ptr<SymbolicConstraints> constraints_;
  std::vector<Called> calls_;
  std::vector<std::size_t> first_of_session_;
  std::vector<std::vector<SqlTerm>> arguments_;
  std::map<Place, std::map<std::uint32_t, SqlTerm>> open_columns_;
  SymbolicState initial_;
  bool is_fixed_ = false;
  std::vector<std::set<std::size_t>> writers_;
  std::vector<SqlSummary> summaries_;
};

/// Makes something of the question, after the setup.
template <class Make>
Result<SqlQuestion> made_after_setup(const Application& application,
                                     const SqlExecutions& executions,
                                     const Budget& budget, Make&& make) {
  const Routines routines(application);
  const auto initial = MemoryDatabase::after_setup(routines, budget);
  if (const auto* failed = std::get_if<SqlError>(&initial)) {
    return error_at(application, failed->at,
                    "the setup fails: " + failed->message, "");
  }
  if (!std::holds_alternative<MemoryDatabase>(initial)) {
    return error_at(application, {}, "the time was up during the setup", "");
  }
  try {
    SqlQuestionMaker maker(routines, executions, budget,
                           std::get<MemoryDatabase>(initial));
    return make(maker);
  } catch (const Unsupported& unsupported) {
    return error_at(application, unsupported.at,
                    "verify cannot encode " + unsupported.what,
                    "explore decides for given inputs");
  }
}

}  // namespace

Result<SqlQuestion> make_sql_question(const Application& application,
                                      const SqlExecutions& executions,
                                      const Budget& budget) {
  return made_after_setup(application, executions, budget,
                          [](SqlQuestionMaker& maker) { return maker.run(); });
}

Result<SqlQuestion> make_sql_inputs(const Application& application,
                                    const Budget& budget) {
  return made_after_setup(application, {}, budget, [](SqlQuestionMaker& maker) {
    return maker.run_inputs();
  });
}

}  // namespace txscope::sql
