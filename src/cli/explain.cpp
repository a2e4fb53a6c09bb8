#include <nlohmann/json.hpp>

#include "cli/diagnostics.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/explain_report.h"

namespace txscope::cli {
namespace {

Error unknown_name(const std::string& name) {
  std::string hint = "'txscope explain' lists all names";
  const auto similar = dictionary::suggest(name);
  if (!similar.empty()) {
    hint = "did you mean ";
    for (std::size_t i = 0; i < similar.size(); ++i)
      hint += (i > 0 ? " or '" : "'") + std::string(similar[i]) + "'";
    hint += "?";
  }
  return Error{Place{"txscope", 0, 0, {}},
               "the dictionary has no '" + name + "'", hint, ""};
}

nlohmann::ordered_json all_entries() {
  auto json = nlohmann::ordered_json::array();
  for (const auto& entry : dictionary::all())
    json.push_back(explain_json(entry));
  return json;
}

}  // namespace

namespace {

int explain_profile(const Options& options) {
  const auto profile = engine::parse_profile(options.input);
  if (!profile) {
    return report_error(Error{Place{"txscope", 0, 0, {}}, profile.error().what,
                              profile.error().hint, ""});
  }
  for (const Output& output : options.outputs) {
    const std::string text =
        output.format == "json"
            ? json_report(
                  "explain", options.input,
                  nlohmann::ordered_json::array({explain_json(**profile)}),
                  seconds_since_start())
            : explain_text(**profile);
    if (auto ok = write_output(output, text); !ok)
      return report_error(ok.error());
  }
  return kHolds;
}

}  // namespace

int run_explain(const Options& options) {
  const dictionary::Entry* entry = nullptr;
  if (!options.input.empty()) {
    entry = dictionary::find(options.input);
    if (entry == nullptr && engine::is_profile_name(options.input)) {
      return explain_profile(options);
    }
    if (entry == nullptr) return report_error(unknown_name(options.input));
  }
  for (const Output& output : options.outputs) {
    std::string text;
    if (output.format == "json") {
      auto results =
          entry == nullptr
              ? all_entries()
              : nlohmann::ordered_json::array({explain_json(*entry)});
      text = json_report("explain", options.input, std::move(results),
                         seconds_since_start());
    } else {
      text = entry == nullptr
                 ? explain_index()
                 : explain_text(*entry, dictionary::find_order(options.input));
    }
    if (auto ok = write_output(output, text); !ok)
      return report_error(ok.error());
  }
  return kHolds;
}

}  // namespace txscope::cli
