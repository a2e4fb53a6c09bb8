#include "txscope/explain.h"

#include <memory>
#include <utility>

#include "report/dictionary/explain_report.h"
#include "verb/answer/evidence.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

Error unknown_name(const std::string& name) {
  std::string hint = "'txscope explain' lists all names";
  const auto similar = report::dictionary::suggest(name);
  if (!similar.empty()) {
    hint = "did you mean ";
    for (std::size_t i = 0; i < similar.size(); ++i)
      hint += (i > 0 ? " or '" : "'") + std::string(similar[i]) + "'";
    hint += "?";
  }
  return wrong_call("the dictionary has no '" + name + "'", hint);
}

ExplainDetail all_names() {
  ExplainDetail found;
  found.text = report::explain_index();
  for (const auto& entry : report::dictionary::all())
    found.results.push_back(report::explain_json(entry));
  return found;
}

Result<ExplainDetail> look_up(const std::string& name) {
  if (name.empty()) return all_names();
  ExplainDetail found;
  if (const report::dictionary::Entry* entry = report::dictionary::find(name)) {
    found.text =
        report::explain_text(*entry, report::dictionary::find_order(name));
    found.results.push_back(report::explain_json(*entry));
    return found;
  }
  if (!is_profile_name(name)) return unknown_name(name);
  const auto profile = parse_profile(name);
  if (!profile) return wrong_call(profile.error().what, profile.error().hint);
  found.text = report::explain_text(**profile);
  found.results.push_back(report::explain_json(**profile));
  return found;
}

}  // namespace

Result<Report> explain(const ExplainRequest& request) {
  auto found = look_up(request.name);
  if (!found) return found.error();
  Report report;
  report.verb = "explain";
  report.inputs = {request.name};
  conclude(report, std::move(*found));
  return report;
}

}  // namespace txscope::verb
