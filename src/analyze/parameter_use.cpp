#include "analyze/parameter_use.h"

#include <algorithm>
#include <map>
#include <optional>

#include "model/sql/walk.h"

namespace txscope::analyze {
namespace {

using sql::Expr;
using sql::Op;

constexpr int kDeepest = 6;  // calls inside of calls

bool is_inequality(Op op) {
  return op == Op::Less || op == Op::LessEqual || op == Op::Greater ||
         op == Op::GreaterEqual;
}

class Walk {
 public:
  Walk(const sql::Application& application, sql::RoutineId id, int depth)
      : application_(application),
        routine_(application.at(id)),
        depth_(depth),
        origins_(variable_origins(routine_).columns),
        uses_(routine_.parameters) {
    sql::for_each_pl(routine_.body,
                     [this](const sql::PlStatement& s) { walk(s); });
  }

  [[nodiscard]] std::vector<ParameterUse> done() { return std::move(uses_); }

 private:
  /// The parameter that an expression is; none: something else.
  [[nodiscard]] std::optional<std::size_t> parameter(const Expr& e) const {
    const Expr& inner = without_casts(e);
    if (inner.op != Op::Variable || inner.index == 0 ||
        inner.index > routine_.parameters)
      return std::nullopt;
    return inner.index - 1;
  }

  void walk(const sql::PlStatement& s) {
    if (const auto* call = std::get_if<sql::PlCall>(&s.what)) follow(*call);
    sql::for_each_part(
        s, [this](const Expr& e) { compare(e, nullptr); },
        [this](const sql::DbStatement& statement) { walk(statement); },
        [](const sql::PlBlock&) {});
  }

  void follow(const sql::PlCall& call) {
    if (depth_ >= kDeepest) return;
    const auto inner = Walk(application_, call.routine, depth_ + 1).done();
    for (std::size_t i = 0; i < call.arguments.size() && i < inner.size();
         ++i) {
      const auto p = parameter(call.arguments[i]);
      if (!p) continue;
      uses_[*p].equals.insert(inner[i].equals.begin(), inner[i].equals.end());
      uses_[*p].inserts.insert(inner[i].inserts.begin(),
                               inner[i].inserts.end());
      uses_[*p].bounds.insert(inner[i].bounds.begin(), inner[i].bounds.end());
      uses_[*p].constants.insert(inner[i].constants.begin(),
                                 inner[i].constants.end());
    }
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
      for (const auto& row : insert->rows)
        for (std::size_t i = 0; i < row.size() && i < insert->columns.size();
             ++i)
          if (row[i])
            if (const auto p = parameter(*row[i])) {
              const ColumnRef column = {insert->target.table,
                                        insert->columns[i]};
              uses_[*p].inserts.insert(column);
              // ON CONFLICT looks for the row that is there.
              if (insert->on_conflict && is_key(column))
                uses_[*p].equals.insert(column);
              checked(insert->target.table, insert->columns[i], *p);
            }
    } else if (const sql::Relation* target = statement.target()) {
      // WHERE of UPDATE and DELETE is over the target.
      sql::Query over;
      over.relations = {*target};
      sql::for_each_part(
          statement, [&](const Expr& e) { compare(e, &over); },
          [](const sql::Query&) {});
    }
    sql::for_each_part(
        statement, [this](const Expr& e) { inside(e); },
        [this](const sql::Query& q) { walk(q); });
    for (const sql::StatementPart& part : statement.parts)
      walk(*part.statement);
  }

  /// The constants of CHECKs of a column that gets a parameter.
  void checked(TableId table, std::uint32_t column, std::size_t p) {
    const auto is_it = [column](const Expr& e) {
      const Expr& inner = without_casts(e);
      return inner.op == Op::Column && inner.level == 0 &&
             inner.index == column;
    };
    for (const sql::Check& check : application_.schema.at(table).checks)
      constants_of(check.condition, is_it, uses_[p].constants);
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
    for (std::size_t p = 0; p < uses_.size(); ++p) {
      if (e.op != Op::Equal && e.op != Op::NotEqual && e.op != Op::InList)
        break;
      for (const Expr& arg : e.args) {
        if (parameter(arg) != p) continue;
        for (const Expr& other : e.args) {
          const Expr& inner = without_casts(other);
          if (inner.op == Op::Constant && !inner.value.is_null())
            uses_[p].constants.insert(inner.value);
        }
      }
    }
    if (e.args.size() == 2 && (e.op == Op::Equal || is_inequality(e.op))) {
      for (const std::size_t side : {0, 1}) {
        const auto p = parameter(e.args[side]);
        if (!p) continue;
        const Expr& other = without_casts(e.args[1 - side]);
        std::optional<ColumnRef> column;
        if (query != nullptr) column = column_of(other, *query);
        if (!column && other.op == Op::Variable)
          if (const auto found = origins_.find(other.index);
              found != origins_.end())
            column = found->second;
        if (!column) continue;
        (e.op == Op::Equal ? uses_[*p].equals : uses_[*p].bounds)
            .insert(*column);
      }
    }
    for (const Expr& arg : e.args) compare(arg, query);
  }

  const sql::Application& application_;
  const sql::Routine& routine_;
  const int depth_;
  const std::map<std::uint32_t, ColumnRef> origins_;  // by slot
  std::vector<ParameterUse> uses_;
};

}  // namespace

std::vector<ParameterUse> parameter_uses(const sql::Application& application,
                                         sql::RoutineId routine) {
  return Walk(application, routine, 0).done();
}

}  // namespace txscope::analyze
