#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace txscope::test {

/// What is wrong with `value` by a JSON Schema (2020-12), with a path to it;
/// empty if nothing is.  Knows the keywords that docs/schema uses, and says so
/// if it meets another: nothing is passed over.
[[nodiscard]] std::string schema_problem(const nlohmann::json& schema,
                                         const nlohmann::json& value);

}  // namespace txscope::test
