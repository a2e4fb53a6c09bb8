#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "tla/model.h"

namespace txscope::test {

/// The value of a constant expression, in TLA+ syntax, with all standard
/// modules in scope; `definitions` come before it.
[[nodiscard]] Result<std::string> evaluate_tla(
    const std::string& expression, const std::string& definitions = {},
    bool use_natives = true);

/// The same as text, "error: ..." if it has no value.
[[nodiscard]] std::string value_of(const std::string& expression,
                                   const std::string& definitions = {});

/// Writes a specification and its configuration to a directory of its own and
/// checks it.  `module` is the text between header and end; the module is
/// called Spec.
struct SpecRun {
  std::uint32_t jobs = 1;
  std::optional<std::uint32_t> max_depth;
  Budget::Limits limits;
  std::optional<std::uint64_t> simulate;
  std::function<void(ModelRequest&)> adjust;  ///< whatever else
};
[[nodiscard]] Result<ModelResult> check_spec(const std::string& module,
                                             const std::string& config,
                                             const SpecRun& run = {});

/// The behaviour up to what cannot be evaluated in such a specification; none
/// if there is no such thing.
[[nodiscard]] std::vector<TraceState> way_to_error(const std::string& module,
                                                   const std::string& config);

/// Where the public specifications are that tests may read but the repository
/// must not hold; none if TXSCOPE_TLA_SPECS does not say.
[[nodiscard]] std::optional<std::string> public_specs();

}  // namespace txscope::test
