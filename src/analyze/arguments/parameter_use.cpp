#include "analyze/arguments/parameter_use.h"

#include <algorithm>
#include <map>
#include <optional>

#include "analyze/arguments/parameter_source.h"
#include "model/sql/builtin.h"
#include "model/sql/walk.h"

namespace txscope::analyze {
namespace {

using sql::Expr;
using sql::Op;

bool is_inequality(Op op) {
  return op == Op::Less || op == Op::LessEqual || op == Op::Greater ||
         op == Op::GreaterEqual;
}

using Uses = std::vector<ParameterUse>;
/// What is known of routines; of one that calls itself nothing, so far.
using KnownUses = std::map<sql::RoutineId, Uses>;

class Walk {
 public:
  Walk(const sql::Application& application, sql::RoutineId id, KnownUses& known)
      : application_(application),
        routine_(application.at(id)),
        known_(known),
        origins_(variable_origins(routine_).columns),
        uses_(routine_.parameters + application.settings.size()),
        sources_(routine_, uses_) {
    sql::for_each_pl(routine_.body,
                     [this](const sql::PlStatement& s) { walk(s); });
  }

  [[nodiscard]] Uses done() { return std::move(uses_); }

 private:
  void walk(const sql::PlStatement& s) {
    if (const auto* call = std::get_if<sql::PlCall>(&s.what))
      follow(call->routine, call->arguments, nullptr);
    sql::for_each_part(
        s, [this](const Expr& e) { compare(e, nullptr); },
        [this](const sql::DbStatement& statement) { walk(statement); },
        [](const sql::PlBlock&) {});
  }

  void follow(sql::RoutineId routine, const std::vector<Expr>& arguments,
              const sql::Query* query) {
    const auto [found, is_first] = known_.try_emplace(routine);
    // References into a map stay.
    Uses& inner = found->second;
    if (is_first) inner = Walk(application_, routine, known_).done();
    if (inner.empty()) return;
    const std::size_t parameters = application_.at(routine).parameters;
    for (std::size_t i = 0; i < arguments.size() && i < parameters; ++i)
      if (ParameterUse* use = sources_.of(arguments[i], query))
        use->absorb(inner[i]);
    for (std::size_t i = 0; i < application_.settings.size(); ++i)
      uses_[routine_.parameters + i].absorb(inner[parameters + i]);
  }

  [[nodiscard]] bool is_key(ColumnRef column) const {
    const auto& keys = application_.schema.at(column.table).unique;
    return std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
      return std::find(key.columns.begin(), key.columns.end(), column.column) !=
             key.columns.end();
    });
  }

  void walk(const sql::DbStatement& statement) {
    if (const auto* insert = std::get_if<sql::Insert>(&statement.what)) {
      const auto& columns = insert->columns;
      for (const auto& row : insert->rows)
        for (std::size_t i = 0; i < row.size() && i < columns.size(); ++i)
          if (row[i]) gets(*insert, columns[i], *row[i], nullptr);
      if (const sql::Query* from = insert->source.get())
        for (std::size_t i = 0; i < from->targets.size() && i < columns.size();
             ++i)
          gets(*insert, columns[i], from->targets[i].expr, from);
    } else if (const sql::Relation* target = statement.target()) {
      // WHERE of UPDATE and DELETE is over the target.
      sql::Query over;
      over.relations = {*target};
      sql::for_each_part(
          statement, [&](const Expr& e) { compare(e, &over); },
          [](const sql::Query&) {});
      if (const auto* update = std::get_if<sql::Update>(&statement.what))
        for (const sql::SetColumn& set : update->set)
          if (set.value)
            if (ParameterUse* use = sources_.of(*set.value, &over))
              checked(target->table, set.column, *use);
    }
    sql::for_each_part(
        statement, [this](const Expr& e) { inside(e); },
        [this](const sql::Query& q) { walk(q); });
    for (const sql::StatementPart& part : statement.parts)
      walk(*part.statement);
  }

  /// A new row gets a value.
  void gets(const sql::Insert& insert, std::uint32_t index, const Expr& value,
            const sql::Query* query) {
    ParameterUse* use = sources_.of(value, query);
    if (use == nullptr) return;
    const ColumnRef column = {insert.target.table, index};
    use->inserts.insert(column);
    // ON CONFLICT looks for the row that is there.
    if (insert.on_conflict && is_key(column)) use->equals.insert(column);
    checked(column.table, index, *use);
  }

  /// The constants of CHECKs of a column that gets a parameter.
  void checked(TableId table, std::uint32_t column, ParameterUse& use) {
    const auto is_it = [column](const Expr& e) {
      const Expr& inner = without_casts(e);
      return inner.op == Op::Column && inner.level == 0 &&
             inner.index == column;
    };
    for (const sql::Check& check : application_.schema.at(table).checks)
      constants_of(check.condition, is_it, use.constants);
  }

  /// Constants that something is compared with for equality.
  template <class IsIt>
  static void constants_of(const Expr& e, const IsIt& is_it,
                           std::set<sql::Value>& found) {
    const auto add = [&](const Expr& other) {
      const Expr& inner = without_casts(other);
      if (inner.op == Op::Constant && !inner.value.is_null())
        found.insert(inner.value);
      for (const Expr& item : inner.args)  // ANY (ARRAY[...])
        if (inner.op == Op::Builtin && item.op == Op::Constant &&
            !item.value.is_null())
          found.insert(item.value);
    };
    const bool is_equality = e.op == Op::Equal || e.op == Op::NotEqual ||
                             e.op == Op::InList || e.op == Op::Builtin;
    if (is_equality && std::any_of(e.args.begin(), e.args.end(), is_it))
      for (const Expr& arg : e.args) add(arg);
    for (const Expr& arg : e.args) constants_of(arg, is_it, found);
  }

  /// Queries inside of an expression.
  void inside(const Expr& e) {
    sql::for_each_part(
        e, [this](const Expr& arg) { inside(arg); },
        [this](const sql::Query& q) { walk(q); });
  }

  void walk(const sql::Query& query) {
    sql::for_each_part(
        query,
        [&](const Expr& e) {
          compare(e, &query);
          inside(e);
        },
        [this](const sql::Query& q) { walk(q); });
  }

  /// Comparisons of parameters with columns of `query`, or with variables that
  /// were read from columns.
  void compare(const Expr& e, const sql::Query* query) {
    if (e.op == Op::Function) follow(sql::RoutineId(e.index), e.args, query);
    if (e.op == Op::IsNull)
      if (ParameterUse* use = sources_.of(e.args[0], query))
        use->is_tested_for_null = true;
    if (e.op == Op::Equal || e.op == Op::NotEqual || e.op == Op::InList)
      constants(e, query);
    if (e.args.size() == 2) {
      const bool is_any =
          e.op == Op::Builtin &&
          static_cast<sql::Builtin>(e.index) == sql::Builtin::EqualsAny;
      for (const std::size_t side : {0, 1}) {
        if (e.op != Op::Equal && !is_inequality(e.op) && !is_any) break;
        ParameterUse* use = sources_.of(e.args[side], query);
        if (use == nullptr) continue;
        const auto column = column_at(e.args[1 - side], query);
        if (!column) continue;
        if (is_any && side == 1) use = &use->item();
        (is_inequality(e.op) ? use->bounds : use->equals).insert(*column);
      }
    }
    for (const Expr& arg : e.args) compare(arg, query);
  }

  void constants(const Expr& e, const sql::Query* query) {
    for (const Expr& arg : e.args) {
      ParameterUse* use = sources_.of(arg, query);
      if (use == nullptr) continue;
      for (const Expr& other : e.args) {
        const Expr& inner = without_casts(other);
        if (inner.op == Op::Constant && !inner.value.is_null())
          use->constants.insert(inner.value);
      }
    }
  }

  /// A column of `query`, also by way of a variable that was read from it.
  [[nodiscard]] std::optional<ColumnRef> column_at(
      const Expr& e, const sql::Query* query) const {
    const Expr& inner = without_casts(e);
    if (query != nullptr)
      if (const auto column = column_of(inner, *query)) return column;
    if (inner.op != Op::Variable) return std::nullopt;
    const auto found = origins_.find(inner.index);
    if (found == origins_.end()) return std::nullopt;
    return found->second;
  }

  const sql::Application& application_;
  const sql::Routine& routine_;
  KnownUses& known_;
  const std::map<std::uint32_t, ColumnRef> origins_;  // by slot
  Uses uses_;
  const ParameterSources sources_;
};

}  // namespace

ParameterUse& ParameterUse::member(const std::string& name) {
  auto& there = members[name];
  if (there == nullptr) there = std::make_unique<ParameterUse>();
  return *there;
}

ParameterUse& ParameterUse::item() {
  if (items == nullptr) items = std::make_unique<ParameterUse>();
  return *items;
}

void ParameterUse::absorb(const ParameterUse& other) {
  equals.insert(other.equals.begin(), other.equals.end());
  inserts.insert(other.inserts.begin(), other.inserts.end());
  bounds.insert(other.bounds.begin(), other.bounds.end());
  constants.insert(other.constants.begin(), other.constants.end());
  is_tested_for_null |= other.is_tested_for_null;
  if (as.name == sql::TypeName::Unknown) as = other.as;
  for (const auto& [name, use] : other.members) member(name).absorb(*use);
  if (other.items != nullptr) item().absorb(*other.items);
}

std::vector<ParameterUse> parameter_uses(const sql::Application& application,
                                         sql::RoutineId routine) {
  KnownUses known;
  known.try_emplace(routine);
  return Walk(application, routine, known).done();
}

}  // namespace txscope::analyze
