#include "verify/sql/sql_question.h"

#include <algorithm>
#include <map>
#include <set>

#include "exec/sql/process.h"
#include "explore/sql/transactions.h"

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
  SqlQuestionMaker(const Application& application, std::uint64_t rounds,
                   const Budget& budget, const MemoryDatabase& initial)
      : application_(application),
        rounds_(rounds),
        budget_(budget),
        initial_database_(initial),
        universe_(application.schema, initial) {
    out_.question.terms = std::make_unique<smt::Terms>();
    t_ = out_.question.terms.get();
    q_ = std::make_unique<SqlTerms>(*t_);
  }

  SqlQuestion run() {
    make_arguments();
    find_open_rows();
    for (int pass = 0;; ++pass) {
      make_initial();
      if (!summarize_all()) continue;  // the universe has grown
      if (is_fixed_) break;
      find_writers();
      is_fixed_ = true;
    }
    make_encoding();
    constrain_initial();
    allow_commits();
    make_assumptions();
    make_rules();
    find_identical();
    out_.rows = universe_.size();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Schema& schema() const { return application_.schema; }

  // --- inputs

  void make_arguments() {
    for (const Table& table : application_.schema.tables) {
      if (!table.triggers.empty())
        throw Unsupported{table.triggers.front().at, "a trigger"};
      if (!table.partial.empty())
        throw Unsupported{table.at, "a partial unique index"};
      for (const ForeignKey& key : table.foreign) {
        if (key.on_update != OnDelete::NoAction)
          throw Unsupported{key.at, "ON UPDATE CASCADE"};
      }
    }
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
    if (origin.value.kind != Kind::Bool) {
      out_.question.inputs.push_back(
          {origin.name, t_->choose(null, t_->integer(0), origin.value.value)});
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
        value.scale = type.scale;
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
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      SqlSummaryOptions options;
      options.rounds = rounds_;
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

  void make_encoding() {
    std::vector<GuardedTxn> txns;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      GuardedTxn txn;
      txn.session = static_cast<std::uint32_t>(calls_[i].session);
      txn.reads = summaries_[i].reads;
      txn.writes = summaries_[i].writes;
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
    std::vector<Term> cuts;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      cuts.push_back(
          t_->all_of({out_.question.encoding->runs(i + 1), summaries_[i].cut}));
    }
    out_.question.cut = t_->any_of(cuts);
  }

  // --- constraints

  using State = std::vector<std::vector<GuardedRow>>;

  /// A state that the tables' constraints allow.
  Term is_valid(const State& state, bool checks_rows,
                const std::vector<TableId>& tables) {
    q_->error = t_->boolean(false);
    q_->path = t_->boolean(true);
    std::vector<Term> all;
    for (const TableId id : tables) {
      const std::size_t i = id.index;
      const Table& table = schema().tables[i];
      for (std::size_t r = 0; r < state[i].size(); ++r) {
        const GuardedRow& row = state[i][r];
        if (checks_rows) check_row(table, row, all);
        for (std::size_t k = table.has_primary_key ? 1 : 0;
             k < table.unique.size(); ++k) {
          for (std::size_t other = 0; other < r; ++other) {
            all.push_back(
                t_->negation(same_key(table.unique[k], row, state[i][other])));
          }
        }
        for (const ForeignKey& key : table.foreign) {
          all.push_back(has_parent(key, row, state));
        }
      }
    }
    all.push_back(t_->negation(q_->error));
    q_->error = t_->boolean(false);
    return t_->all_of(all);
  }

  void check_row(const Table& table, const GuardedRow& row,
                 std::vector<Term>& all) {
    const TermRow* names[] = {&row.columns};
    SymbolicQueries queries(*q_, {}, {});
    q_->path = row.present;
    for (const Check& check : table.checks) {
      const SqlTerm v =
          queries.evaluate(check.condition, {names, nullptr, nullptr});
      all.push_back(t_->implies(row.present, t_->negation(q_->is_false(v))));
    }
    q_->path = t_->boolean(true);
  }

  Term same_key(const UniqueKey& key, const GuardedRow& a,
                const GuardedRow& b) {
    std::vector<Term> same = {a.present, b.present};
    for (const std::uint32_t c : key.columns) {
      same.push_back(q_->equal(a.columns[c], b.columns[c], {}));
    }
    return t_->all_of(same);
  }

  Term has_parent(const ForeignKey& key, const GuardedRow& row,
                  const State& state) {
    std::vector<Term> found = {t_->negation(row.present)};
    for (const std::uint32_t c : key.columns) {
      found.push_back(row.columns[c].null);
    }
    for (const GuardedRow& parent : state[key.parent.index]) {
      std::vector<Term> same = {parent.present};
      for (std::size_t c = 0; c < key.columns.size(); ++c) {
        same.push_back(q_->equal(row.columns[key.columns[c]],
                                 parent.columns[key.parent_columns[c]], {}));
      }
      found.push_back(t_->all_of(same));
    }
    return t_->any_of(found);
  }

  void constrain_initial() {
    std::vector<TableId> all;
    for (std::size_t i = 0; i < initial_.size(); ++i) all.emplace_back(i);
    out_.question.ranges.push_back(is_valid(initial_, true, all));
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
        const Term holds =
            t_->all_of({when, same_key(key, row, a.change->after)});
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
  Term holds(const Property& property, const State& state,
             const std::vector<SqlTerm>& variables) {
    q_->error = t_->boolean(false);
    q_->path = t_->boolean(true);
    SymbolicQueries queries(
        *q_, variables, [&](TableId table) -> const auto& {
          return state[table.index];
        });
    const Query& query = *std::get<Select>(property.condition.what);
    const SqlTerm value = queries.evaluate(query.targets[0].expr, {});
    const Term out = t_->all_of({q_->is_true(value), t_->negation(q_->error)});
    q_->error = t_->boolean(false);
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
                             kind_of(type.name), type.scale, longest(type)});
    }
    return row;
  }

  void make_rules() {
    State finals;
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
      std::vector<Term> counts = {
          is_valid(finals, false, tables_of(application_, property))};
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

  /// Hidden numbers belong to their transaction: then none is like another.
  void find_identical() {
    if (!schema().sequences.empty()) return;
    for (const Table& table : schema().tables) {
      if (!table.has_primary_key) return;
    }
    std::set<std::size_t> named;
    for (const auto* list :
         {&application_.properties, &application_.assumptions}) {
      for (const Property& p : *list) {
        for (const VariableRef& ref : p.variables) named.insert(ref.session);
      }
    }
    std::vector<bool> is_done(application_.sessions.size());
    for (std::uint32_t s = 0; s < is_done.size(); ++s) {
      if (is_done[s] || named.contains(s)) continue;
      std::vector<std::uint32_t> group = {s};
      for (std::uint32_t u = s + 1; u < is_done.size(); ++u) {
        if (is_done[u] || named.contains(u) ||
            !is_same(application_.sessions[s], application_.sessions[u])) {
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
  static bool is_same(const Session& a, const Session& b) {
    return std::ranges::equal(
        a.calls, b.calls, [](const Call& x, const Call& y) {
          return x.routine == y.routine && x.arguments == y.arguments &&
                 x.open == y.open;
        });
  }

  struct Called {
    std::size_t session;
    std::size_t number;
    const Call* call;
  };
  using Place = std::pair<std::size_t, Row>;

  const Application& application_;
  const std::uint64_t rounds_;
  const Budget& budget_;
  const MemoryDatabase& initial_database_;
  KeyUniverse universe_;
  SqlQuestion out_;
  smt::Terms* t_ = nullptr;
  std::unique_ptr<SqlTerms> q_;
  std::vector<Called> calls_;
  std::vector<std::size_t> first_of_session_;
  std::vector<std::vector<SqlTerm>> arguments_;
  std::map<Place, std::map<std::uint32_t, SqlTerm>> open_columns_;
  State initial_;
  bool is_fixed_ = false;
  std::vector<std::set<std::size_t>> writers_;
  std::vector<SqlSummary> summaries_;
};

}  // namespace

Result<SqlQuestion> make_sql_question(const Application& application,
                                      std::uint64_t rounds,
                                      const Budget& budget) {
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
    return SqlQuestionMaker(application, rounds, budget,
                            std::get<MemoryDatabase>(initial))
        .run();
  } catch (const Unsupported& unsupported) {
    return error_at(application, unsupported.at,
                    "verify cannot encode " + unsupported.what,
                    "explore decides for given inputs");
  }
}

Value value_of(const SqlTerm& term, const smt::Model& model) {
  if (model.truth(term.null)) return {};
  const std::int64_t value = model.integer(term.value);
  switch (term.kind) {
    case Kind::Bool: return Value::boolean(value != 0);
    case Kind::Numeric: return Value::numeric(value, term.scale);
    case Kind::Date: return Value::date(value);
    case Kind::Timestamp: return Value::timestamp(value);
    default: return Value::integer(value);
  }
}

namespace {

Expr constant_of(const Value& value, const Type& type) {
  Expr e;
  e.op = Op::Constant;
  e.type = type;
  e.value = value;
  return e;
}

/// UPDATE table SET column = value, ... WHERE key = ...
DbStatement update_of(const Application& application, TableId table,
                      const Row& key, std::vector<SetColumn> set) {
  const Table& shape = application.schema.at(table);
  Update update;
  update.target.name = shape.name;
  update.target.table = table;
  update.target.columns = static_cast<std::uint32_t>(shape.columns.size());
  update.set = std::move(set);
  Expr where;
  where.op = Op::And;
  where.type = kBoolean;
  const auto& columns = shape.unique.front().columns;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Expr column;
    column.op = Op::Column;
    column.type = shape.columns[columns[k]].type;
    column.index = columns[k];
    Expr equal;
    equal.op = Op::Equal;
    equal.type = kBoolean;
    equal.args = {column, constant_of(key[k], column.type)};
    where.args.push_back(std::move(equal));
  }
  update.where = where.args.size() == 1 ? where.args[0] : where;
  DbStatement statement;
  statement.at = shape.at;
  statement.what = std::move(update);
  return statement;
}

}  // namespace

Application with_inputs(const Application& application,
                        const SqlQuestion& question, const smt::Model& model) {
  Application out = application;
  std::map<std::pair<std::uint32_t, Row>, std::vector<SetColumn>> changes;
  for (const SqlQuestion::Origin& from : question.origins) {
    const Value value = value_of(from.value, model);
    if (!from.table) {
      Call& call = out.sessions[from.session].calls[from.call];
      call.arguments[from.argument] = value;
      call.open.clear();
      continue;
    }
    const Type& type =
        application.schema.at(*from.table).columns[from.column].type;
    changes[{from.table->index, from.key}].push_back(
        {from.column, constant_of(value, type)});
  }
  for (auto& [row, set] : changes) {
    out.setup.push_back(
        update_of(application, TableId(row.first), row.second, std::move(set)));
  }
  out.open_columns.clear();
  out.arbitrary.reset();
  return out;
}

}  // namespace txscope::sql
