#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "model/arithmetic.h"
#include "model/ids.h"
#include "model/span.h"
#include "model/workload.h"

namespace txscope {

using ExprId = Id<struct ExprTag>;
using LocalId = Id<struct LocalTag>;
using TransactionId = Id<struct TransactionTag>;

struct Null {
  friend bool operator==(Null, Null) = default;
};
/// `?`: any value at all.
struct Arbitrary {
  friend bool operator==(Arbitrary, Arbitrary) = default;
};
/// One column of one row.
using Value = std::variant<Null, std::int64_t, Arbitrary>;
/// A row: its columns, the key among them.
using Row = std::vector<Value>;

enum class ColumnType : std::uint8_t { Integer };

struct Column {
  std::string name;
  ColumnType type = ColumnType::Integer;
};

/// A table.  Its rows are what transactions read, write and conflict on; a row
/// that is not there is a version, too.  A register of a `.txn` program is a
/// table with the column `value`, no key and one row; an array has the key
/// column `index` before it and the rows 0 .. n-1.
struct Table {
  std::string name;
  std::vector<Column> columns;
  std::uint32_t key_columns = 0;  ///< the first so many columns are the key
  std::vector<Row> rows;          ///< initial; of an array in key order
  Span at;
};

/// One node of an expression; its operands are nodes with smaller ids.
struct Expr {
  Operator op = Operator::Constant;
  std::array<ExprId, 3> arg = {kNone<ExprId>, kNone<ExprId>, kNone<ExprId>};
  std::int64_t constant = 0;
  std::uint32_t ref = 0;  ///< what it names depends on `op`
  Span at;
};

/// A row by its key: one expression per key column.
struct RowRef {
  TableId table;
  std::vector<ExprId> key;
};

struct Statement;
using Block = std::vector<Statement>;

/// `to = read row`: exactly one read event.
struct ReadRow {
  LocalId to;
  RowRef row;
};
/// `write row = value`: exactly one write event, of all columns but the key.
struct WriteRow {
  RowRef row;
  std::vector<ExprId> values;
};
struct Assign {
  LocalId to;
  ExprId value;
};
struct If {
  ExprId condition;
  Block then;
  Block otherwise;
};
/// For each integer from `from` up to, not including, `to`; both bounds are
/// evaluated once, and assigning the variable does not change the rounds.
struct For {
  LocalId variable;
  ExprId from;
  ExprId to;
  Block body;
};
struct While {
  ExprId condition;
  Block body;
};
/// A finding if false; execution goes on.
struct Assert {
  PropertyId property;
  ExprId condition;
};
/// If false the execution does not count.
struct Assume {
  ExprId condition;
};
/// Ends the transaction: its writes do not exist, its reads stay.
struct Abort {};

struct Statement {
  Span at;  ///< without the blocks inside it
  std::variant<ReadRow, WriteRow, Assign, If, For, While, Assert, Assume, Abort>
      what;
};

/// What a transaction may do.  Its parameters are its first locals.
struct Transaction {
  std::string name;
  std::uint32_t parameters = 0;
  std::vector<std::string> locals;
  Block body;
  Span at;
};

/// One transaction of a session, with its arguments.
struct Call {
  std::string label;
  TransactionId transaction;
  std::vector<Value> arguments;
  Span at;
};

/// Calls run in order; sessions run concurrently.
struct ProgramSession {
  std::string name;
  std::vector<Call> calls;
  Span at;
};

/// A condition at the end of an execution, over the final state of the tables
/// and locals of finished transactions.  It is true if one of those locals was
/// never assigned.  Of what has to exist it is the negation: an execution in
/// which it is false is a witness.
struct EndCondition {
  PropertyId property;
  ExprId condition;
  Span at;
};

/// A local of the transaction at `call` of `session`.
struct LocalRef {
  std::uint32_t session = 0;
  std::uint32_t call = 0;
  LocalId local;
};

/// A condition on the inputs, at top level: rows are their initial values
/// (Operator::FinalRow), locals are parameters of calls.  Inputs for which it
/// is false, or fails, do not count.
struct InputAssumption {
  std::string name;  ///< its own, or "line N"
  ExprId condition;
  Span at;
};

/// The one form that every program engine works on: tables with their initial
/// rows, transactions, the sessions that call them, and what must be true.
/// Front ends build it and have checked it: every id is in range, operands
/// precede their operators, blocks are nested at most kMaxNesting deep and
/// expressions kMaxDepth, so that engines may recurse over both.
struct Program {
  static constexpr std::uint32_t kMaxNesting = 256;
  static constexpr std::uint32_t kMaxDepth = 1000;

  std::string file;
  std::string source;
  std::vector<Table> tables;
  std::vector<Expr> exprs;
  std::vector<LocalRef> local_refs;
  std::vector<Transaction> transactions;
  std::vector<ProgramSession> sessions;
  std::vector<Property>
      properties;  ///< conditions of one kind and name share one
  std::vector<EndCondition> end_conditions;
  std::vector<InputAssumption> assumptions;
  std::optional<Span> arbitrary;  ///< the first `?`, if there is one

  [[nodiscard]] const Expr& at(ExprId e) const { return exprs[e.index]; }
  [[nodiscard]] const Table& at(TableId t) const { return tables[t.index]; }
  [[nodiscard]] const Transaction& at(TransactionId t) const {
    return transactions[t.index];
  }
  [[nodiscard]] const Property& at(PropertyId p) const {
    return properties[p.index];
  }
  [[nodiscard]] std::string_view text(Span span) const {
    return std::string_view(source).substr(span.offset, span.length);
  }
  /// The whole line that a span starts on.
  [[nodiscard]] std::string_view line(Span span) const;
  [[nodiscard]] Place place(Span span) const;
};

}  // namespace txscope
