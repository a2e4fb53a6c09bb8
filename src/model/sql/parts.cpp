#include "model/sql/parts.h"

#include <variant>

#include "model/sql/walk.h"

namespace txscope::sql {
namespace {

class Numbering {
 public:
  explicit Numbering(Application& application) : application_(application) {}

  void visit(const PlBlock& block) {
    for (const PlStatement& statement : block) {
      for_each_part(
          statement, [this](const Expr& e) { number(e); },
          [this](const DbStatement& s) { visit(s); },
          [this](const PlBlock& inside) { visit(inside); });
    }
  }
  void visit(const DbStatement& statement) {
    if (!statement.is_select()) {
      std::visit(
          [this](const auto& what) {
            if constexpr (requires { what.part; }) number(what);
          },
          statement.what);
    }
    for_each_part(
        statement, [this](const Expr& e) { visit(e); },
        [this](const Query& q) { visit(q); });
  }
  void visit(const Expr& e) {
    for_each_part(
        e, [this](const Expr& arg) { visit(arg); },
        [this](const Query& q) { visit(q); });
  }
  void visit(const Query& q) {
    if (q.part != kNone<PartId>) return;  // it stands in two places
    number(q);
    for_each_part(
        q, [this](const Expr& e) { visit(e); },
        [this](const Query& inside) { visit(inside); });
  }

 private:
  /// Parts are constant to all who run them; nobody runs this one yet.
  template <class Part>
  void number(const Part& part) {
    if (part.part != kNone<PartId>) return;
    const_cast<Part&>(part).part = PartId(application_.parts++);
  }

  Application& application_;
};

}  // namespace

void number_parts(Application& application) {
  Numbering numbering(application);
  for (const DbStatement& statement : application.setup)
    numbering.visit(statement);
  for (const SetupStep& step : application.steps)
    if (!step.call) numbering.visit(step.value);
  for (const Routine& routine : application.routines)
    numbering.visit(routine.body);
  for (const Property& property : application.properties)
    numbering.visit(property.condition);
}

PartId part_of(const DbStatement& statement) {
  return std::visit(
      [](const auto& what) {
        if constexpr (requires { what.part; })
          return what.part;
        else
          return what->part;
      },
      statement.what);
}

}  // namespace txscope::sql
