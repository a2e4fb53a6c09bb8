#include "verb/program/baseline.h"

#include <nlohmann/json.hpp>

#include "analyze/accepted.h"
#include "base/file.h"

namespace txscope::verb {
namespace {

using BaselineJson = nlohmann::json;

Error no_baseline(const std::string& file, std::string what) {
  return Error{Place{file, 0, 0, {}}, std::move(what),
               "--baseline takes a report of txscope (--format html or "
               "--format sarif) or, for analyze, what --write-baseline wrote",
               ""};
}

std::string text_at(const BaselineJson& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) return "";
  return object[name].is_string() ? object[name].get<std::string>() : "";
}

bool is_mark(const std::string& mark) {
  return mark.empty() || mark == "bug" || mark == "accepted" || mark == "false";
}

Result<std::vector<KnownFinding>> from_html(const std::string& file,
                                            const std::string& data) {
  const BaselineJson json = BaselineJson::parse(data, nullptr, false);
  if (!json.is_object() || text_at(json, "tool") != "txscope" ||
      !json.contains("findings") || !json["findings"].is_array())
    return no_baseline(file, "its list of findings is damaged");
  std::vector<KnownFinding> all;
  for (const BaselineJson& one : json["findings"]) {
    KnownFinding known{text_at(one, "id"), text_at(one, "title"),
                       text_at(one, "mark"), text_at(one, "note")};
    if (known.id.empty() || !is_mark(known.mark))
      return no_baseline(file, "its list of findings is damaged");
    all.push_back(std::move(known));
  }
  return all;
}

KnownFinding from_result(const BaselineJson& result) {
  KnownFinding known;
  if (result.contains("partialFingerprints"))
    known.id = text_at(result["partialFingerprints"], "txscopeFinding/v1");
  if (result.contains("message"))
    known.title = text_at(result["message"], "text");
  if (!result.contains("suppressions") || !result["suppressions"].is_array())
    return known;
  for (const BaselineJson& one : result["suppressions"]) {
    const std::string status = text_at(one, "status");
    if (!status.empty() && status != "accepted") continue;
    known.mark = "accepted";
    known.note = text_at(one, "justification");
  }
  return known;
}

Result<std::vector<KnownFinding>> from_sarif(const std::string& file,
                                             const BaselineJson& json) {
  if (!json.is_object() || !json.contains("runs") || !json["runs"].is_array())
    return no_baseline(file, "this is not a report of txscope");
  std::vector<KnownFinding> all;
  for (const BaselineJson& run : json["runs"]) {
    const BaselineJson::json_pointer driver("/tool/driver/name");
    if (!run.contains(driver) || run[driver] != "txscope")
      return no_baseline(file, "this is a report of another tool");
    if (!run.contains("results") || !run["results"].is_array()) continue;
    for (const BaselineJson& result : run["results"]) {
      if (text_at(result, "baselineState") == "absent" ||
          text_at(result, "kind") == "open")
        continue;
      KnownFinding known = from_result(result);
      if (!known.id.empty()) all.push_back(std::move(known));
    }
  }
  return all;
}

}  // namespace

Result<std::vector<KnownFinding>> read_baseline(const std::string& file) {
  const auto text = read_whole(file);
  if (!text) return text.error();
  constexpr std::string_view kBegin = "id=\"txscope-findings\">";
  const std::size_t begin = text->find(kBegin);
  if (begin != std::string::npos) {
    const std::size_t from = begin + kBegin.size();
    const std::size_t end = text->find("</script>", from);
    if (end == std::string::npos)
      return no_baseline(file, "the report is cut off");
    return from_html(file, text->substr(from, end - from));
  }
  const BaselineJson json = BaselineJson::parse(*text, nullptr, false);
  if (json.is_discarded())
    return no_baseline(file, "this is not a report of txscope");
  return from_sarif(file, json);
}

bool is_finding_list(const std::string& file) {
  if (file.empty()) return false;
  const auto text = read_whole(file);
  return text && (text->starts_with('#') || analyze::begins_with_id(*text));
}

}  // namespace txscope::verb
