#pragma once

#include <string>

#include "tla/syntax/source.h"
#include "tla/value/value.h"

namespace txscope::tla {

/// A value as JSON: sequences and sets are arrays, records and functions
/// objects with the arguments as names, model values strings.
[[nodiscard]] std::string json_of(Value v);

/// A JSON file as a value: arrays are sequences, objects records; of a file
/// with one value per line, the sequence of them.  null is the string "null".
/// Throws Fault.
[[nodiscard]] Value values_of_json(const std::string& path, bool has_lines,
                                   Store& store, const Spot& spot);

}  // namespace txscope::tla
