#include "analysis/last_ends.h"

#include <algorithm>

#include "model/sql/walk.h"

namespace txscope::analysis {
namespace {

using sql::Expr;

/// A copy of a value, which cannot fail.
bool is_copy(const Expr& e) {
  return e.op == sql::Op::Constant || e.op == sql::Op::Variable;
}

/// It looks at nothing outside of the routine.
bool is_local(const Expr& e) {
  return e.op != sql::Op::Function && e.query == nullptr &&
         std::all_of(e.args.begin(), e.args.end(), is_local);
}

/// SELECT 'done' AS message: rows for the client that come from no table.
bool is_message(const sql::PlExecute& execute) {
  const auto* select = std::get_if<sql::Select>(&execute.statement.what);
  if (select == nullptr || execute.statement.locks != nullptr ||
      !(*select)->relations.empty() || (*select)->set != sql::SetKind::None)
    return false;
  const auto& targets = (*select)->targets;
  return !(*select)->where &&
         std::all_of(targets.begin(), targets.end(),
                     [](const auto& target) { return is_local(target.expr); });
}

}  // namespace

Behind LastEnds::walk(const sql::PlBlock& block, Behind rest) {
  for (auto s = block.rbegin(); s != block.rend(); ++s) rest = before(*s, rest);
  return rest;
}

Behind LastEnds::before(const sql::PlStatement& s, Behind rest) {
  const auto at_least = [&](Behind least) { return std::max(rest, least); };
  if (const auto* end = std::get_if<sql::PlEnd>(&s.what)) {
    const Behind most = end->is_commit ? Behind::Nothing : Behind::Errors;
    if (rest > most) return Behind::Asks;
    ends_.insert(end);
    // A COMMIT of nothing, as behind a message, is none for who comes before; a
    // ROLLBACK would be taken for that of what was committed.
    return end->is_commit ? rest : Behind::Asks;
  }
  if (const auto* assign = std::get_if<sql::PlAssign>(&s.what))
    return is_copy(assign->value)    ? rest
           : is_local(assign->value) ? at_least(Behind::Errors)
                                     : Behind::Asks;
  if (const auto* execute = std::get_if<sql::PlExecute>(&s.what)) {
    if (!is_message(*execute)) return Behind::Asks;
    const auto& targets =
        std::get<sql::Select>(execute->statement.what)->targets;
    return std::all_of(targets.begin(), targets.end(),
                       [](const auto& t) { return is_copy(t.expr); })
               ? rest
               : at_least(Behind::Errors);
  }
  if (const auto* call = std::get_if<sql::PlCall>(&s.what)) {
    calls_[call] = rest;
    return Behind::Asks;
  }
  if (const auto* branch = std::get_if<sql::PlIf>(&s.what)) {
    Behind most = walk(branch->otherwise, rest);
    for (const auto& arm : branch->arms) {
      most = std::max(most, walk(arm.body, rest));
      if (!is_copy(arm.condition)) most = std::max(most, Behind::Errors);
      if (!arm.before.empty() || !is_local(arm.condition)) most = Behind::Asks;
    }
    return most;
  }
  if (const auto* labelled = std::get_if<sql::PlLabelled>(&s.what)) {
    labels_[labelled->label] = rest;
    return walk(labelled->body, rest);
  }
  if (const auto* guarded = std::get_if<sql::PlTry>(&s.what)) {
    walk(guarded->body, guarded->keeps_work ? rest : Behind::Asks);
    for (const auto& handler : guarded->handlers) walk(handler.body, rest);
    return Behind::Asks;
  }
  if (const auto* exit = std::get_if<sql::PlExit>(&s.what)) {
    const auto found = labels_.find(exit->label);
    return exit->is_continue || found == labels_.end() ? Behind::Asks
                                                       : found->second;
  }
  if (const auto* back = std::get_if<sql::PlReturn>(&s.what))
    return !back->value || is_copy(*back->value) ? Behind::Nothing
                                                 : Behind::Errors;
  if (std::holds_alternative<sql::PlRaise>(s.what)) return Behind::Errors;
  if (std::holds_alternative<sql::PlRowCount>(s.what)) return rest;
  return Behind::Asks;
}

}  // namespace txscope::analysis
