#include "robust/proof/caught_failures.h"

#include <algorithm>
#include <set>

#include "model/sql/walk.h"

namespace txscope::robust {
namespace {

bool catches(const sql::PlStatement& statement) {
  if (const auto* point = std::get_if<sql::PlSavepoint>(&statement.what))
    return point->kind == sql::PlSavepoint::Kind::RollBackTo;
  const auto* block = std::get_if<sql::PlTry>(&statement.what);
  if (block == nullptr || block->raises_again) return false;
  return std::any_of(
      block->handlers.begin(), block->handlers.end(), [](const auto& handler) {
        return handler.conditions.empty() ||
               std::any_of(handler.conditions.begin(), handler.conditions.end(),
                           [](const std::string& condition) {
                             return condition.starts_with("40");
                           });
      });
}

class Finder {
 public:
  explicit Finder(const sql::Application& application)
      : application_(application) {}

  void visit(sql::RoutineId routine) {
    if (seen_.insert(routine.index).second)
      visit(application_.at(routine).body);
  }
  [[nodiscard]] std::optional<Span> found() const { return found_; }

 private:
  void visit(const sql::PlBlock& block) {
    for (const sql::PlStatement& statement : block) {
      if (!found_ && catches(statement)) found_ = statement.at;
      if (const auto* call = std::get_if<sql::PlCall>(&statement.what))
        visit(call->routine);
      sql::for_each_part(
          statement, [](const sql::Expr&) {}, [](const sql::DbStatement&) {},
          [this](const sql::PlBlock& inside) { visit(inside); });
    }
  }

  const sql::Application& application_;
  std::set<std::size_t> seen_;
  std::optional<Span> found_;
};

}  // namespace

std::optional<Span> caught_failure(const sql::Application& application,
                                   sql::RoutineId transaction) {
  Finder finder(application);
  finder.visit(transaction);
  return finder.found();
}

}  // namespace txscope::robust
