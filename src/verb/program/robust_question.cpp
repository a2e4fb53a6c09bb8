#include "verb/program/robust_question.h"

#include "verb/input/levels.h"
#include "verb/input/wrong_call.h"
#include "verify/sql/unserial_sql_inputs.h"

namespace txscope::verb {

using robust::Granularity;
using robust::Notion;

robust::SearchQuestion RobustQuestion::search(Notion by) const {
  robust::SearchQuestion out;
  out.against = level;
  out.notion = by;
  out.granularity = granularity.value_or(Granularity::Row);
  out.loop_bound = loop_bound;
  return out;
}

robust::RobustResult RobustQuestion::searched(Notion by) const {
  robust::RobustResult out;
  out.against = against();
  out.notion = by;
  out.granularity = granularity.value_or(Granularity::Row);
  out.method = robust::Method::Search;
  return out;
}

robust::RobustResult RobustQuestion::proved() const {
  robust::RobustResult out = searched(notion);
  out.granularity = granularity.value_or(is_application ? Granularity::Result
                                                        : Granularity::Row);
  return out;
}

Result<std::unique_ptr<verify::InputChoices>> RobustQuestion::choices(
    const sql::Application& application, Notion by,
    const Budget& budget) const {
  return verify::make_unserial_choices(application, level, profile, by,
                                       loop_bound, budget);
}

std::optional<robust::PivotLevel> RobustQuestion::pivot() const {
  if (profile != nullptr) {
    if (profile->product != Product::PostgreSql) return std::nullopt;
    if (profile->isolation == Isolation::ReadCommitted)
      return robust::PivotLevel::ReadCommitted;
    if (profile->isolation == Isolation::RepeatableRead)
      return robust::PivotLevel::Snapshot;
    return std::nullopt;
  }
  if (level != Base::SnapshotIsolation) return std::nullopt;
  if (notion != Notion::Trace && method != robust::Method::Proof) {
    return std::nullopt;
  }
  return robust::PivotLevel::Snapshot;
}

Result<RobustQuestion> asked_of(const RobustRequest& request,
                                bool is_application) {
  RobustQuestion asked;
  asked.loop_bound = request.loop_bound;
  asked.is_application = is_application;
  if (!request.against.empty()) {
    if (is_profile_name(request.against)) {
      if (!is_application) {
        return wrong_call("'" + request.against +
                              "' is a product's level, "
                              "and " +
                              request.input + " is not a SQL application",
                          promise_hint(request.against));
      }
      const auto profile = parse_profile(request.against);
      const bool is_several = level_names(request.against).size() > 1 ||
                              product_named(request.against) != nullptr;
      if (!profile && is_several) {
        return wrong_call("--against takes one level, and '" + request.against +
                              "' is several",
                          "as in --against postgresql:read-committed");
      }
      if (!profile) {
        return wrong_call(profile.error().what, profile.error().hint);
      }
      asked.profile = *profile;
    } else {
      const auto levels = theory_levels(request.against);
      if (!levels) return levels.error();
      if (levels->size() != 1) {
        return wrong_call("--against takes one level", "as in --against SI");
      }
      asked.level = levels->front();
    }
  }
  if (asked.profile != nullptr) asked.notion = Notion::Outcome;
  if (!request.notion.empty()) {
    const auto notion = robust::parse_notion(request.notion);
    if (!notion) {
      return wrong_call("there is no notion '" + request.notion + "'",
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
  if (!request.granularity.empty()) {
    asked.granularity = robust::parse_granularity(request.granularity);
    if (!asked.granularity) {
      return wrong_call("there is no granularity '" + request.granularity + "'",
                        "row, column or result");
    }
  }
  if (!request.method.empty()) {
    const auto method = robust::parse_method(request.method);
    if (!method) {
      return wrong_call("there is no method '" + request.method + "'",
                        "search, proof or auto");
    }
    asked.method = *method;
  }
  return asked;
}

}  // namespace txscope::verb
