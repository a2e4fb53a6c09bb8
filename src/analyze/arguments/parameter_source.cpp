#include "analyze/arguments/parameter_source.h"

#include <variant>

#include "model/sql/builtin.h"
#include "model/sql/walk.h"

namespace txscope::analyze {
namespace {

using sql::Expr;
using sql::Kind;
using sql::Op;
using sql::SetKind;

bool is_constant_text(const Expr& e) {
  return e.op == Op::Constant && e.value.kind() == Kind::Text;
}

}  // namespace

ParameterSources::ParameterSources(const sql::Routine& routine,
                                   std::vector<ParameterUse>& uses)
    : uses_(uses), first_setting_(routine.parameters) {
  for (std::uint32_t p = 0; p < routine.parameters; ++p)
    slots_.emplace(p + 1, &uses[p]);
  sql::for_each_pl(routine.body,
                   [this](const sql::PlStatement& s) { follow(s); });
}

void ParameterSources::follow(const sql::PlStatement& s) {
  if (const auto* assign = std::get_if<sql::PlAssign>(&s.what)) {
    if (ParameterUse* use = of(assign->value, nullptr))
      slots_.try_emplace(assign->slot, use);
  } else if (const auto* execute = std::get_if<sql::PlExecute>(&s.what)) {
    if (execute->statement.is_select())
      take(*std::get<sql::Select>(execute->statement.what), execute->into);
  } else if (const auto* rows = std::get_if<sql::PlForRows>(&s.what)) {
    if (rows->query.is_select())
      take(*std::get<sql::Select>(rows->query.what), rows->into);
  }
}

void ParameterSources::take(const sql::Query& query,
                            const std::vector<std::uint32_t>& into) {
  for (std::size_t i = 0; i < into.size() && i < query.targets.size(); ++i)
    if (ParameterUse* use = of(query.targets[i].expr, &query))
      slots_.try_emplace(into[i], use);
}

ParameterUse* ParameterSources::of(const Expr& e,
                                   const sql::Query* query) const {
  switch (e.op) {
    case Op::Cast: {
      ParameterUse* use = of(e.args[0], query);
      if (use != nullptr && use->as.name == sql::TypeName::Unknown &&
          sql::kind_of(e.args[0].type.name) == Kind::Text)
        use->as = e.type;
      return use;
    }
    case Op::Coalesce:
    case Op::NullIf:
    case Op::Lower:
    case Op::Upper: return of(e.args[0], query);
    case Op::Case:  // NULLIF: WHEN x = y THEN NULL ELSE x
      return e.args.size() == 3 ? of(e.args[2], query) : nullptr;
    case Op::Variable: {
      const auto found = slots_.find(e.index);
      return found == slots_.end() ? nullptr : found->second;
    }
    case Op::Column:
      if (query == nullptr || e.level != 0 ||
          e.relation >= query->relations.size() ||
          query->relations[e.relation].query == nullptr)
        return nullptr;
      return column(*query->relations[e.relation].query, e.index);
    case Op::Builtin: return part(e, query);
    default: return nullptr;
  }
}

ParameterUse* ParameterSources::part(const Expr& e,
                                     const sql::Query* query) const {
  switch (static_cast<sql::Builtin>(e.index)) {
    case sql::Builtin::Trim:
    case sql::Builtin::TrimLeft:
    case sql::Builtin::TrimRight: return of(e.args[0], query);
    case sql::Builtin::ArrayItem: {
      ParameterUse* whole = of(e.args[0], query);
      return whole == nullptr ? nullptr : &whole->item();
    }
    case sql::Builtin::JsonField:
    case sql::Builtin::JsonFieldText: {
      ParameterUse* whole = of(e.args[0], query);
      if (whole == nullptr) return nullptr;
      return is_constant_text(e.args[1])
                 ? &whole->member(e.args[1].value.text())
                 : &whole->item();
    }
    case sql::Builtin::RowField: {
      ParameterUse* whole = of(e.args[0], query);
      if (whole == nullptr || e.args[1].op != Op::Constant) return nullptr;
      return &whole->member(to_string(e.args[1].value));
    }
    case sql::Builtin::JsonPath:
    case sql::Builtin::JsonPathText: return path(e, query);
    case sql::Builtin::Setting:
      return &uses_[first_setting_ +
                    static_cast<std::size_t>(e.args[0].value.integer())];
    default: return nullptr;
  }
}

/// json #>> '{a,b}'
ParameterUse* ParameterSources::path(const Expr& e,
                                     const sql::Query* query) const {
  ParameterUse* use = of(e.args[0], query);
  const Expr& steps = e.args[1];
  const bool is_known =
      steps.op == Op::Constant && steps.value.kind() == Kind::Array;
  if (use == nullptr || (!is_known && steps.op != Op::Builtin)) return nullptr;
  if (is_known) {
    for (const sql::Value& step : steps.value.items())
      use = &use->member(to_string(step));
    return use;
  }
  for (const Expr& step : steps.args) {
    if (!is_constant_text(step)) return nullptr;
    use = &use->member(step.value.text());
  }
  return use;
}

/// A column of what stands in FROM.
ParameterUse* ParameterSources::column(const sql::Query& from,
                                       std::uint32_t index) const {
  switch (from.set) {
    case SetKind::None:
      return index < from.targets.size() ? of(from.targets[index].expr, &from)
                                         : nullptr;
    case SetKind::Items:
    case SetKind::JsonItems:
    case SetKind::JsonItemsText: {
      const auto& arrays = from.values[0];
      if (index >= arrays.size()) return nullptr;
      ParameterUse* whole = of(arrays[index], nullptr);
      return whole == nullptr ? nullptr : &whole->item();
    }
    case SetKind::Values:
      return from.values.size() == 1 && index < from.values[0].size()
                 ? of(from.values[0][index], nullptr)
                 : nullptr;
    default: return nullptr;
  }
}

}  // namespace txscope::analyze
