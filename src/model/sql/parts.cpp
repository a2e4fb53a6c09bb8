#include "model/sql/parts.h"

#include <variant>

namespace txscope::sql {

void number_parts(Application& application) {
  // Parts are constant to all who run them; nobody runs a new one yet.
  const auto number = [&application]<class Part>(const Part& part) {
    if (part.part == kNone<PartId>)
      const_cast<Part&>(part).part = PartId(application.parts++);
  };
  PlannedParts(
      [&](const DbStatement& statement) {
        std::visit(
            [&](const auto& what) {
              if constexpr (requires { what.part; }) number(what);
            },
            statement.what);
      },
      number, number)
      .walk(application);
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
