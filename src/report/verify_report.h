#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/program.h"
#include "verify/verify.h"

namespace txscope::report {

/// What `verify` found out about one program, ready to be shown.
struct VerifyReport {
  std::string input;
  const verify::VerifyResult* result = nullptr;
  std::uint64_t loop_bound = 0;
  std::string nothing;        ///< why what holds says nothing; else empty
  bool is_inductive = false;  ///< from any state that satisfies the invariants
  std::vector<std::string> partly;  ///< what was not checked, a clause each
};

/// For people: a table of rules and levels, the weakest level at which each
/// rule holds, then of each broken rule inputs and schedule.
[[nodiscard]] std::string verify_text(const VerifyReport& report);
/// An array with one element of "results" per level and property.
[[nodiscard]] nlohmann::ordered_json verify_json(const VerifyReport& report);
/// The history of each broken rule, for Graphviz.
[[nodiscard]] std::string verify_dot(const VerifyReport& report);

/// What an answer rests on: "2 sessions, 3 transactions, 1 open input"; and
/// lines that say which inputs were left out.
[[nodiscard]] std::string basis(const verify::VerifyBounds& bounds);
[[nodiscard]] std::string left_out(const verify::VerifyBounds& bounds);
[[nodiscard]] nlohmann::ordered_json bounds_json(
    const verify::VerifyBounds& bounds);

}  // namespace txscope::report
