#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What the clients of a database saw, as plain values; for check.h.
namespace txscope::observed {

/// Null, a number or a text.
using Value = std::variant<std::monostate, std::int64_t, std::string>;

struct Operation {
  enum class Kind : std::uint8_t {
    Read,    ///< of a register: `value`
    Write,   ///< of a register
    Append,  ///< of `value` to a list
    List,    ///< a read of a whole list: `elements`
  };
  Kind kind = Kind::Read;
  std::string key;
  Value value;
  std::vector<Value> elements = {};
};

struct Transaction {
  enum class Status : std::uint8_t { Committed, Aborted, Unknown };
  std::string session;
  std::vector<Operation> operations;
  Status status = Status::Committed;
  std::string name = {};  ///< empty: session#number
  /// Times of the client's clock, both or none.
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> end = {};
};

/// The transactions of one session are in the order in which it ran them.
struct History {
  std::vector<Transaction> transactions;
  Value initial;  ///< of every register that has no other
  std::map<std::string, Value> initials = {};
};

}  // namespace txscope::observed
