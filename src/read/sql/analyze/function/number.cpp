#include <algorithm>
#include <array>

#include "read/sql/analyze/rooms.h"
#include "read/sql/schema/schema_reader.h"

namespace txscope::sql {
namespace {

constexpr std::array<std::string_view, 4> kUuidFunctions = {
    "gen_random_uuid", "uuid_generate_v4", "uuid_generate_v1",
    "uuid_generate_v1mc"};

}  // namespace

bool makes_uuid(std::string_view function) {
  return std::find(kUuidFunctions.begin(), kUuidFunctions.end(), function) !=
         kUuidFunctions.end();
}

bool draws_number(std::string_view function) {
  return function == "nextval" || function == "currval" ||
         function == "lastval" || function == "random" ||
         function == "gen_random_bytes" || function == "gen_salt" ||
         makes_uuid(function);
}

namespace analyzer {

/// Functions that give another value at every call: the database draws a
/// number for them.
std::optional<Expr> Functions::number_function(const PgQuery__FuncCall& node,
                                               std::string_view name, Span at) {
  if (!draws_number(name) || name == "gen_random_bytes" || name == "gen_salt")
    return std::nullopt;
  const bool is_next = name == "nextval" || name == "currval";
  if (node.n_args != (is_next ? 1u : 0u)) return std::nullopt;
  if (name == "lastval") {
    scope_.looks_at_tables = true;
    std::vector<Expr> nothing;
    nothing.push_back(constant(Value::integer(0), {TypeName::BigInt}, at));
    return make_builtin(Builtin::LastNumber, {TypeName::BigInt},
                        std::move(nothing), at);
  }
  std::optional<std::uint32_t> sequence = scope_.catalog.fresh;
  if (is_next) {
    const auto wanted = sequence_argument(node);
    if (!wanted) {
      source().unsupported(
          at, std::string(name) + "() of a computed name is",
          "write the sequence's name, as in " + std::string(name) + "('s')");
    }
    const auto found =
        scope_.catalog.sequence_ids.find(scope_.catalog.relation(*wanted));
    if (found == scope_.catalog.sequence_ids.end()) {
      std::vector<std::string> names;
      for (const auto& [known, id] : scope_.catalog.sequence_ids)
        names.push_back(known);
      std::sort(names.begin(), names.end());
      source().fail(at, "unknown sequence '" + wanted->name + "'",
                    hint_among(wanted->name, names, "sequences"));
    }
    sequence = found->second;
  }
  if (!sequence) return std::nullopt;
  scope_.looks_at_tables = true;
  std::vector<Expr> args;
  args.push_back(constant(Value::integer(*sequence), {TypeName::BigInt}, at));
  if (is_next) {
    return make_builtin(
        name == "nextval" ? Builtin::NextNumber : Builtin::CurrentNumber,
        {TypeName::BigInt}, std::move(args), at);
  }
  if (name == "random") {
    return make_builtin(Builtin::Random, {TypeName::Double}, std::move(args),
                        at);
  }
  return make_builtin(Builtin::FreshUuid, {TypeName::Uuid}, std::move(args),
                      at);
}

}  // namespace analyzer
}  // namespace txscope::sql
