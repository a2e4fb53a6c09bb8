#include "analyze/arguments/column_hints.h"

#include <algorithm>

#include "model/sql/builtin.h"
#include "model/sql/walk.h"

namespace txscope::analyze {
namespace {

using sql::Expr;
using sql::Op;

/// Walks over everything that is said, of one routine at a time.
class HintWalk {
 public:
  explicit HintWalk(const sql::Application& application)
      : application_(application) {}

  [[nodiscard]] std::map<ColumnRef, ColumnHints> run() {
    const auto& tables = application_.schema.tables;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      over_.relations.resize(1);
      over_.relations[0].table = TableId(t);
      for (const sql::Check& check : tables[t].checks)
        look(check.condition, &over_);
    }
    for (auto& [column, hints] : hints_)
      hints.is_checked = !hints.constants.empty();
    for (const sql::Routine& routine : application_.routines) {
      origins_ = variable_origins(routine).columns;
      sql::for_each_pl(routine.body,
                       [this](const sql::PlStatement& s) { walk(s); });
    }
    return std::move(hints_);
  }

 private:
  void walk(const sql::PlStatement& s) {
    sql::for_each_part(
        s, [this](const Expr& e) { look(e, nullptr); },
        [this](const sql::DbStatement& statement) { walk(statement); },
        [](const sql::PlBlock&) {});
  }

  void walk(const sql::DbStatement& statement) {
    if (const sql::Relation* target = statement.target())
      over_.relations = {*target};
    else
      over_.relations.clear();
    sql::for_each_part(
        statement, [this](const Expr& e) { look(e, &over_); },
        [this](const sql::Query& q) { walk(q); });
    for (const sql::StatementPart& part : statement.parts)
      walk(*part.statement);
  }

  void walk(const sql::Query& query) {
    sql::for_each_part(
        query, [&](const Expr& e) { look(e, &query); },
        [this](const sql::Query& q) { walk(q); });
  }

  void look(const Expr& e, const sql::Query* query) {
    const bool is_any =
        e.op == Op::Builtin &&
        (static_cast<sql::Builtin>(e.index) == sql::Builtin::EqualsAny ||
         static_cast<sql::Builtin>(e.index) == sql::Builtin::NotEqualAll);
    if (e.op == Op::IsNull) {
      if (ColumnHints* hints = of(e.args[0], query))
        hints->is_tested_for_null = true;
    } else if (is_any || e.op == Op::Equal || e.op == Op::NotEqual ||
               e.op == Op::InList) {
      for (const Expr& arg : e.args)
        if (ColumnHints* hints = of(arg, query)) take(e, *hints);
    }
    sql::for_each_part(
        e, [&](const Expr& arg) { look(arg, query); },
        [this](const sql::Query& q) { walk(q); });
  }

  [[nodiscard]] ColumnHints* of(const Expr& e, const sql::Query* query) {
    const Expr& inner = without_casts(e);
    std::optional<ColumnRef> column;
    if (query != nullptr) column = column_of(inner, *query);
    if (!column && inner.op == Op::Variable)
      if (const auto found = origins_.find(inner.index);
          found != origins_.end())
        column = found->second;
    return column ? &hints_[*column] : nullptr;
  }

  static void take(const Expr& e, ColumnHints& hints) {
    for (const Expr& arg : e.args) {
      const Expr& inner = without_casts(arg);
      if (inner.op == Op::Constant) add(inner.value, hints);
      if (inner.op == Op::Builtin)  // ANY (ARRAY[...])
        for (const Expr& item : inner.args)
          if (without_casts(item).op == Op::Constant)
            add(without_casts(item).value, hints);
    }
  }

  static void add(const sql::Value& value, ColumnHints& hints) {
    if (value.kind() == sql::Kind::Array) {
      for (const sql::Value& item : value.items()) add(item, hints);
      return;
    }
    if (value.is_null() || hints.is_checked) return;
    auto& all = hints.constants;
    if (std::find(all.begin(), all.end(), value) == all.end())
      all.push_back(value);
  }

  const sql::Application& application_;
  sql::Query over_;  ///< the table whose row the expression is over
  std::map<std::uint32_t, ColumnRef> origins_;  ///< of the routine
  std::map<ColumnRef, ColumnHints> hints_;
};

}  // namespace

std::map<ColumnRef, ColumnHints> column_hints(
    const sql::Application& application) {
  return HintWalk(application).run();
}

}  // namespace txscope::analyze
