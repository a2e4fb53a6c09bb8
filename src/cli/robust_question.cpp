#include "cli/robust_question.h"

#include "cli/diagnostics.h"
#include "cli/levels.h"
#include "verify/sql/unserial_sql_inputs.h"

namespace txscope::cli {

using robust::Granularity;
using robust::Notion;

robust::SearchQuestion RobustQuestion::search(Notion by) const {
  robust::SearchQuestion out;
  out.against = level;
  out.notion = by;
  out.loop_bound = loop_bound;
  return out;
}

robust::RobustResult RobustQuestion::searched(Notion by) const {
  robust::RobustResult out;
  out.against = against();
  out.notion = by;
  const bool is_by_rows = is_application && profile == nullptr;
  out.granularity =
      is_by_rows ? Granularity::Row : granularity.value_or(Granularity::Row);
  out.method = robust::Method::Search;
  return out;
}

robust::RobustResult RobustQuestion::proved() const {
  robust::RobustResult out = searched(notion);
  out.granularity = granularity.value_or(Granularity::Result);
  return out;
}

Result<std::unique_ptr<sql::InputChoices>> RobustQuestion::choices(
    const sql::Application& application, Notion by,
    const Budget& budget) const {
  return sql::make_unserial_choices(application, level, profile, by, loop_bound,
                                    budget);
}

std::optional<robust::PivotLevel> RobustQuestion::pivot() const {
  if (profile != nullptr) {
    if (profile->name == "postgresql:read-committed") {
      return robust::PivotLevel::ReadCommitted;
    }
    if (profile->name == "postgresql:repeatable-read") {
      return robust::PivotLevel::Snapshot;
    }
    return std::nullopt;
  }
  if (level != Base::SnapshotIsolation) return std::nullopt;
  if (notion != Notion::Trace && method != robust::Method::Proof) {
    return std::nullopt;
  }
  return robust::PivotLevel::Snapshot;
}

Result<RobustQuestion> asked_of(const Options& options, bool is_application) {
  RobustQuestion asked;
  asked.loop_bound = options.loop_bound;
  asked.is_application = is_application;
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
