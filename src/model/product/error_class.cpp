#include "model/product/error_class.h"

#include <array>
#include <cassert>

namespace txscope {
namespace {

using enum ErrorClass;
constexpr Product kPg = Product::PostgreSql;
constexpr Product kMaria = Product::MariaDb;
constexpr Product kLite = Product::Sqlite;
constexpr Product kOra = Product::Oracle;

// Numbers that are codes are found by both.
constexpr std::array kErrors = std::to_array<ErrorRow>({
    {kPg, Serialization, sqlstate::kSerialization,
     "could not serialize access due to read/write dependencies among "
     "transactions"},
    {kPg, Cancelled, "40000"},
    {kPg, Cancelled, "40002"},
    {kPg, Deadlock, "40P01", "deadlock detected"},
    {kPg, LockNotAvailable, "55P03"},
    {kPg, Cancelled, sqlstate::kQueryCanceled},
    {kPg, Cancelled, "57P01"},
    {kPg, InFailedTransaction, "25P02"},
    {kPg, Unique, sqlstate::kUnique},
    {kPg, ForeignKey, sqlstate::kForeignKey},
    {kPg, NotNull, sqlstate::kNotNull},
    {kPg, Check, sqlstate::kCheck},
    {kMaria, Serialization, "1020", "Record has changed since last read", 1020,
     true},
    {kMaria, Deadlock, "1213", "Deadlock found when trying to get lock", 1213,
     true},
    {kMaria, LockTimeout, "1205", "Lock wait timeout exceeded", 1205},
    {kMaria, Disconnected, "2013", "", 2013},
    {kMaria, Unique, "1062", "", 1062},
    {kMaria, ForeignKey, "1452", "", 1452},
    {kMaria, ForeignKey, "1451", "", 1451},
    {kMaria, NotNull, "1048", "", 1048},
    {kMaria, Check, "4025", "", 4025},
    {kMaria, Constraint, sqlstate::kConstraint},
    {kLite, Serialization, "SQLITE_BUSY", "database is locked", 5, true},
    {kLite, Serialization, "SQLITE_LOCKED", "", 6, true},
    {kLite, Serialization, "SQLITE_BUSY_RECOVERY", "", 261, true},
    {kLite, Serialization, "SQLITE_BUSY_SNAPSHOT", "", 517, true},
    {kLite, Serialization, "SQLITE_BUSY_TIMEOUT", "", 773, true},
    {kLite, Unique, "SQLITE_CONSTRAINT_UNIQUE"},
    {kLite, Unique, "SQLITE_CONSTRAINT_PRIMARYKEY"},
    {kLite, Unique, "SQLITE_CONSTRAINT_ROWID"},
    {kLite, NotNull, "SQLITE_CONSTRAINT_NOTNULL"},
    {kLite, ForeignKey, "SQLITE_CONSTRAINT_FOREIGNKEY"},
    {kLite, Check, "SQLITE_CONSTRAINT_CHECK"},
    {kOra, Serialization, "ORA-08177",
     "can't serialize access for this transaction"},
    {kOra, Deadlock, "ORA-00060",
     "deadlock detected while waiting for resource"},
    {kOra, Unique, "ORA-00001"},
    {kOra, ForeignKey, "ORA-02291"},
    {kOra, ForeignKey, "ORA-02292"},
});

}  // namespace

std::span<const ErrorRow> error_rows() { return kErrors; }

const ErrorRow& error_of(Product product, ErrorClass is) {
  for (const ErrorRow& row : kErrors)
    if (row.product == product && row.is == is) return row;
  assert(false && "the product has such an error");
  return kErrors.front();
}

const ErrorRow* find_error(std::string_view code) {
  for (const ErrorRow& row : kErrors)
    if (row.code == code) return &row;
  return nullptr;
}

const ErrorRow* find_error(std::int64_t number) {
  if (number == 0) return nullptr;
  for (const ErrorRow& row : kErrors)
    if (row.number == number) return &row;
  return nullptr;
}

bool is_transient(std::string_view code) {
  const ErrorRow* row = find_error(code);
  if (row == nullptr) return false;
  return row->is == Serialization || row->is == Deadlock ||
         row->is == LockTimeout;
}

bool is_always_possible(ErrorClass is) { return is < Unique; }
bool is_constraint(ErrorClass is) { return is >= Unique; }

}  // namespace txscope
