#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace txscope::tla {

/// One module's text, and where it came from.
struct Source {
  std::string file;  ///< as shown to the user
  std::string text;
  bool is_ours = false;  ///< built into txscope, no file
};

/// A position in a Source.  `line` and `column` count from 1, columns in
/// characters; line 0 means the file as a whole.
struct Spot {
  const Source* source = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The text of one line of a source, without its end.
[[nodiscard]] std::string line_of(const Source& source, std::uint32_t line);

[[nodiscard]] Error error_at(const Spot& spot, std::string what,
                             std::string hint = {});

/// How a mistake in the user's text leaves the depths of parser, compiler and
/// evaluator.  Caught at the border of this folder, where it becomes a Result.
struct Fault {
  Error error;
};

/// An Assert that is false: the specification can be evaluated, and is wrong.
struct AssertionFault : Fault {
  AssertionFault(const Spot& where, std::string said);
  std::string message;  ///< what the specification says about it
  Spot spot;
};

[[noreturn]] void fail(const Spot& spot, std::string what,
                       std::string hint = {});

}  // namespace txscope::tla
