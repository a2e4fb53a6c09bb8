#include "read/txn/txn.h"

#include "model/assigned.h"
#include "read/txn/parser.h"

namespace txscope::read {
namespace {

/// The first use of a local that no path can have assigned.
std::optional<Error> find_unassigned(const Program& program) {
  const std::vector<Assigned> assigned = assigned_locals(program);
  const auto never = [&program, &assigned](ExprId e) {
    return assigned[e.index] == Assigned::Never &&
           program.at(e).op == Operator::Local;
  };
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    if (!never(ExprId(i))) continue;
    const Expr& e = program.exprs[i];
    return txn::error_at(
        program.file, program.source, e.at,
        "'" + std::string(program.text(e.at)) +
            "' is used before it is "
            "assigned",
        "a name that a transaction assigns anywhere is its local everywhere");
  }
  return std::nullopt;
}

}  // namespace

Result<Program> read_txn(std::string file, std::string text) {
  Program program;
  program.file = std::move(file);
  program.source = std::move(text);
  const auto tokens = txn::tokenize(program.file, program.source);
  if (!tokens) return tokens.error();
  try {
    txn::Parser(program, *tokens).run();
  } catch (txn::Failure& failure) {
    return std::move(failure.error);
  }
  if (auto error = find_unassigned(program)) return std::move(*error);
  return program;
}

}  // namespace txscope::read
