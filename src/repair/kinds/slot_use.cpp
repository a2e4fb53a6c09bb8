#include "repair/kinds/slot_use.h"

#include <algorithm>

#include "model/sql/walk.h"

namespace txscope::repair {
namespace {

using sql::PlStatement;

void add_variables(const sql::Query& query, std::set<std::uint32_t>& slots) {
  sql::for_each_part(
      query, [&](const sql::Expr& e) { repair::add_variables(e, slots); },
      [&](const sql::Query& inside) { add_variables(inside, slots); });
}

void add_assigned(const PlStatement& one, std::set<std::uint32_t>& slots) {
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.into; })
          slots.insert(what.into.begin(), what.into.end());
        if constexpr (requires { what.slot; }) slots.insert(what.slot);
      },
      one.what);
}

class UseFinder {
 public:
  UseFinder(std::uint32_t slot, const std::set<const PlStatement*>& gone,
            const PlStatement* tested)
      : slot_(slot), gone_(gone), tested_(tested) {}

  // Depth: the nesting of blocks, which the front end limits.
  bool look_at(const sql::PlBlock& block) {
    for (const PlStatement& one : block) {
      if (gone_.contains(&one)) continue;
      std::set<std::uint32_t> slots;
      bool is_inside = false;
      sql::for_each_part(
          one,
          [&](const sql::Expr& e) {
            if (&one != tested_) repair::add_variables(e, slots);
          },
          [&](const sql::DbStatement& statement) {
            slots.merge(variables_in(statement));
          },
          [&](const sql::PlBlock& inside) {
            is_inside = is_inside || look_at(inside);
          });
      if (is_inside || slots.contains(slot_)) return true;
    }
    return false;
  }

 private:
  const std::uint32_t slot_;
  const std::set<const PlStatement*>& gone_;
  const PlStatement* tested_;
};

}  // namespace

void add_variables(const sql::Expr& expression,
                   std::set<std::uint32_t>& slots) {
  if (expression.op == sql::Op::Variable) slots.insert(expression.index);
  sql::for_each_part(
      expression, [&](const sql::Expr& e) { add_variables(e, slots); },
      [&](const sql::Query& query) { add_variables(query, slots); });
}

std::set<std::uint32_t> variables_in(const sql::DbStatement& statement) {
  std::set<std::uint32_t> slots;
  sql::for_each_part(
      statement, [&](const sql::Expr& e) { add_variables(e, slots); },
      [&](const sql::Query& query) { add_variables(query, slots); });
  return slots;
}

std::set<std::uint32_t> slots_assigned_in(const PlStatement& statement) {
  std::set<std::uint32_t> slots;
  add_assigned(statement, slots);
  sql::for_each_part(
      statement, [](const sql::Expr&) {}, [](const sql::DbStatement&) {},
      [&](const sql::PlBlock& inside) {
        sql::for_each_pl(
            inside, [&](const PlStatement& one) { add_assigned(one, slots); });
      });
  return slots;
}

bool is_used(const sql::Routine& routine, std::uint32_t slot,
             const std::set<const PlStatement*>& gone,
             const PlStatement* tested) {
  const bool is_out =
      std::find(routine.out_slots.begin(), routine.out_slots.end(), slot) !=
      routine.out_slots.end();
  return is_out || UseFinder(slot, gone, tested).look_at(routine.body);
}

}  // namespace txscope::repair
