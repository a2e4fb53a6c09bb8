#include "cli/robust_question.h"

#include "cli/diagnostics.h"
#include "cli/levels.h"

namespace txscope::cli {

using robust::Notion;

Result<RobustQuestion> asked_of(const Options& options, bool is_application) {
  RobustQuestion asked;
  if (!options.against.empty()) {
    if (engine::is_profile_name(options.against)) {
      if (!is_application) {
        return wrong_call("'" + options.against +
                              "' is a level of an engine, "
                              "and " +
                              options.input + " is no application in SQL",
                          "name a level such as snapshot-isolation");
      }
      const auto profile = engine::parse_profile(options.against);
      if (!profile) {
        return wrong_call(profile.error().what, profile.error().hint);
      }
      asked.profile = *profile;
    } else {
      const auto levels = theory_levels(options.against);
      if (!levels) return levels.error();
      if (levels->size() != 1) {
        return wrong_call("--against takes one level", "as in --against SI");
      }
      asked.level = levels->front();
    }
  }
  if (asked.profile != nullptr) asked.notion = Notion::Outcome;
  if (!options.notion.empty()) {
    const auto notion = robust::parse_notion(options.notion);
    if (!notion) {
      return wrong_call("there is no notion '" + options.notion + "'",
                        "trace, view, history, outcome or state");
    }
    asked.notion = *notion;
    asked.has_notion = true;
  }
  if (asked.profile != nullptr && asked.notion != Notion::Outcome &&
      asked.notion != Notion::State) {
    return wrong_call("at an engine's level only outcomes and states are seen",
                      "--notion outcome or --notion state");
  }
  if (!options.granularity.empty()) {
    asked.granularity = robust::parse_granularity(options.granularity);
    if (!asked.granularity) {
      return wrong_call("there is no granularity '" + options.granularity + "'",
                        "row, column or result");
    }
  }
  if (!options.method.empty()) {
    const auto method = robust::parse_method(options.method);
    if (!method) {
      return wrong_call("there is no method '" + options.method + "'",
                        "search, proof or auto");
    }
    asked.method = *method;
  }
  return asked;
}

}  // namespace txscope::cli
