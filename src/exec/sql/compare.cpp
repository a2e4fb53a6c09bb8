#include "exec/sql/compare.h"

#include "exec/sql/numeric.h"

namespace txscope::sql {

int compare(const Value& a, const Value& b) {
  if (a.kind() == Kind::Numeric || b.kind() == Kind::Numeric)
    return compare_numeric(a, b);
  if (a.kind() == Kind::Text) {
    if (a == b) return 0;
    return a.text().compare(b.text());
  }
  return a.integer() < b.integer() ? -1 : a.integer() > b.integer() ? 1 : 0;
}

Value canonical(const Value& value) {
  return value.kind() == Kind::Numeric ? strip_zeros(value) : value;
}

}  // namespace txscope::sql
