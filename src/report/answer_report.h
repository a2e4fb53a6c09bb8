#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/answer.h"
#include "model/sql/application.h"

namespace txscope::report {

/// What was found out about one workload, ready to be shown.
struct AnswerReport {
  std::string input;
  const Workload* workload = nullptr;
  const std::vector<Answer>* answers = nullptr;  ///< a level each, as asked for
  /// If it is one in SQL, for what a product does not know of it.
  const sql::Application* application = nullptr;
  std::uint64_t loop_bound = 0;
  bool all = false;  ///< every property was decided
  /// By answer: why it holds of nothing; empty: it does not.  None at all: of
  /// no answer.
  std::vector<std::string> vacuous = {};
  /// What of the workload was not checked, a clause each.
  std::vector<std::string> partly = {};
  bool counts_only = false;  ///< nobody asks for verdicts
};

/// For people: verdicts first, then each counterexample in the user's own
/// statements with what they saw, the state in the end, what serial orders
/// give, the anomaly's name and what to do.
[[nodiscard]] std::string answer_text(const AnswerReport& report);
/// An array with one element of "results" per level.
[[nodiscard]] nlohmann::ordered_json answer_json(const AnswerReport& report);
/// Each counterexample as a graph, for Graphviz.
[[nodiscard]] std::string answer_dot(const AnswerReport& report);

// Parts, for verbs that show counterexamples in a frame of their own.
/// Lanes, the end, serial orders, anomaly, repairs.
[[nodiscard]] std::string counterexample_text(const Workload& workload,
                                              const Counterexample& example);
[[nodiscard]] nlohmann::ordered_json counterexample_json(
    const Workload& workload, const Counterexample& example);
[[nodiscard]] std::string counterexample_dot(const Workload& workload,
                                             const Counterexample& example,
                                             std::size_t number);
/// The steps with one lane per session.
[[nodiscard]] std::string lanes_text(const Workload& workload,
                                     const Counterexample& example);

/// the invariant "covered" breaks
[[nodiscard]] std::string counterexample_title(const Counterexample& example);
/// What to change, and what holds then.
[[nodiscard]] std::string repair_text(const Counterexample& example,
                                      const Repair& repair);
/// What a serial order of the same transactions leads to.
[[nodiscard]] std::string serial_result(const Workload& workload,
                                        const Counterexample& example,
                                        const SerialRun& run);

/// What the products of these levels do not know of an application; it is
/// explored all the same.
[[nodiscard]] std::string dialect_notes(const sql::Application& application,
                                        const std::vector<Answer>& answers);

/// invariant "covered"
[[nodiscard]] std::string property_title(const Property& property);

}  // namespace txscope::report
