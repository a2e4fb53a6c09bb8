// Casts between dates and instants; the session's time zone is UTC.

#include "exec/sql/value/date.h"
#include "symbolic/value/term.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

constexpr std::int64_t kMicrosecondsOfDay = 86'400'000'000;

bool is_instant(sql::Kind kind) {
  return kind == sql::Kind::Timestamp || kind == sql::Kind::TimestampTz;
}

}  // namespace

std::optional<SqlTerm> SqlTerms::as_time(const SqlTerm& a,
                                         const sql::Type& to) {
  const sql::Kind kind = kind_of(to.name);
  if (to.size != 0) return std::nullopt;  // rounds
  SqlTerm out = a;
  out.kind = kind;
  if (is_instant(a.kind) && is_instant(kind)) return out;
  const Term day = t.integer(kMicrosecondsOfDay);
  if (is_instant(a.kind) && kind == sql::Kind::Date) {
    const Term whole = t.divide(a.value, day);  // towards zero
    const Term is_before = t.less(t.remainder(a.value, day), t.integer(0));
    out.value = t.choose(is_before, t.subtract(whole, t.integer(1)), whole);
    return out;
  }
  if (a.kind == sql::Kind::Date && is_instant(kind)) {
    out.value = t.multiply(a.value, day);
    fail_if(t.all_of({t.negation(a.null),
                      t.less(t.integer(sql::kLastDayOfTimestamps), a.value)}),
            "22008");
    return out;
  }
  return std::nullopt;
}

}  // namespace txscope::symbolic
