#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace txscope::test {

/// A text made of parts, so that it can be shrunk where it may: a part that may
/// go, an expression that may be replaced by one inside it of the same kind.
struct Draft {
  std::string kind;  ///< of an expression its type; "opt": it may be left out
  std::string text;  ///< if it has no parts
  std::vector<Draft> parts;

  Draft() = default;
  Draft(std::string t) : text(std::move(t)) {}  // NOLINT: a plain text
  Draft(const char* t) : text(t) {}             // NOLINT: a plain text
  Draft(std::string k, std::vector<Draft> p)
      : kind(std::move(k)), parts(std::move(p)) {}

  [[nodiscard]] std::string str() const {
    if (parts.empty()) return text;
    std::string all;
    for (const Draft& part : parts) all += part.str();
    return all;
  }
};

/// Makes a draft smaller for as long as `fails` holds.
[[nodiscard]] Draft shrunk(Draft draft,
                           const std::function<bool(const Draft&)>& fails,
                           int attempts);

}  // namespace txscope::test
