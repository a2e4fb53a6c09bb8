#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/atom.h"
#include "read/histories/form/form.h"

namespace txscope::read {

enum class JepsenType : std::uint8_t { Invoke, Ok, Fail, Info };

/// One line of a Jepsen history, not yet understood.
struct JepsenEvent {
  JepsenType type = JepsenType::Invoke;
  std::optional<Form::Cursor> process;
  std::optional<Form::Cursor> f;
  std::optional<Form::Cursor> key;
  std::optional<Form::Cursor> value;
  std::optional<Form::Cursor> index;
  Form::Cursor whole;  ///< for errors about the event as such
  std::uint64_t line = 0;
};

/// Takes a map apart; keys without a meaning for us are ignored.
[[nodiscard]] Result<JepsenEvent> to_event(Form::Cursor map, std::uint64_t line,
                                           FormSource& source);
/// invoke, ok, fail or info.
[[nodiscard]] std::optional<JepsenType> to_type(std::string_view name);

/// One step of an operation.  Concat (of the get/put/append workload) appends
/// text to a register that holds text.
struct MicroOp {
  enum class Kind : std::uint8_t { Read, Write, Append, Concat };
  enum class Seen : std::uint8_t { Nothing, Value, List };

  Kind kind = Kind::Read;
  Seen seen = Seen::Nothing;  ///< of a Read
  bool is_condition = false;  ///< the read of a compare-and-set
  Atom key;
  Atom value;               ///< seen, written or appended
  std::uint32_t known = 0;  ///< of a List: elements that were read before
  std::uint32_t first = 0;  ///< the others, a slice of Operation::elements
  std::uint32_t size = 0;
  std::string_view rest;  ///< their text; lives as long as the event's form
};

/// What one event says that its transaction does, or did.
struct Operation {
  std::vector<MicroOp> steps;
  std::vector<Atom> elements;
  bool has_value = true;  ///< false: the event leaves it to its invocation
  bool is_text = false;   ///< of the get/put/append workload

  void clear();
  /// True if `completed` may be how this invocation ended: the same steps on
  /// the same keys with the same values written.
  [[nodiscard]] bool matches(const Operation& completed) const;
};

/// Understands an event of any workload that txscope reads, told by its `:f`
/// and the shape of its `:value`: transactions of micro-operations
/// (list-append, rw-register, long-fork), one operation on a register (read,
/// write, cas; `:value [k v]` or `:key k` if there are several), get, put and
/// append on text.  Others are refused by name.  The reads of an invocation
/// have seen nothing, whatever its value says.
[[nodiscard]] Result<Done> understand(const JepsenEvent& event,
                                      AtomTable& atoms, FormSource& source,
                                      Operation& operation);

}  // namespace txscope::read
