#include "txscope/explain.h"

#include <memory>
#include <utility>

#include "model/level.h"
#include "model/product/standby.h"
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
  const Profile* profile = &standby_profile();
  if (canonical_name(name) != profile->name) {
    const auto parsed = parse_profile(name);
    if (!parsed) return wrong_call(parsed.error().what, parsed.error().hint);
    profile = *parsed;
  }
  found.text = report::explain_text(*profile);
  found.results.push_back(report::explain_json(*profile));
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
