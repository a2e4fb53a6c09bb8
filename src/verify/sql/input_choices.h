#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/sql/application.h"
#include "verify/verify.h"

namespace txscope::verify {

/// Inputs of an application that satisfy its assumptions, one choice after
/// another.
class InputChoices {
 public:
  virtual ~InputChoices() = default;

  /// The application with these inputs.
  struct Choice {
    sql::Application application;
    std::vector<InputValue> values;
  };
  [[nodiscard]] virtual std::optional<Choice> next() = 0;
  /// There is no other that could show anything.
  [[nodiscard]] virtual bool is_exhausted() const = 0;
  /// Why others may show something.
  [[nodiscard]] virtual std::string why() const = 0;
  /// What transactions do for some inputs; nothing if nobody knows.
  [[nodiscard]] virtual std::optional<Activity> activity() {
    return std::nullopt;
  }
  /// What a solver looked at; nothing if it only chose.
  [[nodiscard]] virtual std::optional<VerifyBounds> bounds() const = 0;
};

}  // namespace txscope::verify
