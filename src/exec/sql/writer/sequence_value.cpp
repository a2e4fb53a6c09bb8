#include "exec/sql/writer/sequence_value.h"

#include <string>

#include "exec/sql/value/cast.h"
#include "exec/sql/query/evaluate.h"
#include "exec/sql/writer/session_numbers.h"
#include "model/sql/builtin.h"

namespace txscope::sql {
namespace {

/// currval() and lastval().
Value last_number(const Expr& e, const Value& sequence, Store* store,
                  Halt& halt) {
  const bool is_any = static_cast<Builtin>(e.index) == Builtin::LastNumber;
  const std::string name = is_any ? "lastval()" : "currval()";
  auto* const numbers = dynamic_cast<RemembersNumbers*>(store);
  if (numbers == nullptr) return halt.raise_ours(name + " here");
  std::optional<std::uint32_t> wanted;
  if (!is_any) wanted = static_cast<std::uint32_t>(sequence.integer());
  const auto answer = numbers->last_number(wanted);
  if (!answer.is_known)
    return halt.raise_ours(name + " of a number of an earlier transaction");
  if (!answer.number)
    return halt.raise("55000", name + " is not yet defined in this session");
  return Value::integer(*answer.number);
}

}  // namespace

Value sequence_value(const Expr& e, const Value& sequence, Store* store,
                     Halt& halt) {
  if (!takes_number(static_cast<Builtin>(e.index)))
    return last_number(e, sequence, store, halt);
  auto* const numbers = dynamic_cast<Sequences*>(store);
  if (numbers == nullptr)
    return halt.raise_ours("a number of a sequence, here");
  const std::int64_t number =
      numbers->next(static_cast<std::uint32_t>(sequence.integer()));
  if (static_cast<Builtin>(e.index) == Builtin::Random) {
    // SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): as good as any other.
    std::uint64_t x =
        static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return Value::real(static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53);
  }
  return cast(Value::integer(number), e.type, CastContext::Assignment, halt);
}

}  // namespace txscope::sql
