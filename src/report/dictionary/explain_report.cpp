#include "report/dictionary/explain_report.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "report/page/wrap.h"

namespace txscope::report {
namespace {

using dictionary::Entry;
using EntryKind = dictionary::Kind;

std::string_view word(EntryKind kind) {
  switch (kind) {
    case EntryKind::Level: return "level";
    case EntryKind::Order: return "order";
    case EntryKind::Anomaly: return "anomaly";
    case EntryKind::Term: return "term";
    case EntryKind::Other: return "not decided by txscope";
  }
  return "";
}

std::string indented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += "  " + std::string(lines.substr(0, end)) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

std::string wrapped_lines(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += wrapped("  ", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

std::string names_of(const std::vector<Level>& levels) {
  std::string text;
  for (const Level level : levels)
    text += (text.empty() ? "" : ", ") + describe(level);
  return text;
}

}  // namespace

std::string explain_text(const Entry& entry, const Entry* order) {
  std::string text = wrapped("", std::string(entry.name) + " (" +
                                     std::string(word(entry.kind)) +
                                     "): " + std::string(entry.summary));
  text += "\n" + wrapped_lines(entry.text);
  if (order != nullptr)
    text += "\n" + wrapped("  ", std::string(order->name) +
                                     " order: " + std::string(order->summary));
  if (!entry.elsewhere.empty())
    text += "\nElsewhere:\n" + wrapped_lines(entry.elsewhere);
  if (!entry.example.empty()) {
    text += "\nExample:\n" + indented(entry.example);
    if (!entry.forbidden_by.empty())
      text += wrapped("  forbidden by ", names_of(entry.forbidden_by) +
                                             ", and every stronger level");
  }
  if (!entry.practice.empty())
    text += "\nIn practice:\n" + wrapped_lines(entry.practice);
  return text;
}

nlohmann::ordered_json explain_json(const Entry& entry) {
  nlohmann::ordered_json json;
  json["name"] = entry.name;
  json["kind"] = word(entry.kind);
  json["summary"] = entry.summary;
  json["text"] = entry.text;
  json["aliases"] = entry.aliases;
  json["example"] = entry.example;
  json["forbidden_by"] = nlohmann::ordered_json::array();
  for (const Level level : entry.forbidden_by)
    json["forbidden_by"].push_back(
        {{"level", name(level.base)}, {"order", name(level.order)}});
  json["practice"] = entry.practice;
  return json;
}

std::string explain_index() {
  std::string text = "txscope explain NAME says more about each of these:\n";
  std::optional<EntryKind> section;
  for (const Entry& entry : dictionary::all()) {
    if (section != entry.kind)
      text += "\n" + std::string(word(entry.kind)) + ":\n";
    section = entry.kind;
    text += wrapped("  " + padded(entry.name, 28) + " ", entry.summary);
  }
  return text;
}

std::string explain_text(const Profile& profile) {
  std::string out = std::string(profile.name) + " (level of an engine)\n\n";
  out += wrapped("  ", profile.summary);
  if (!out.ends_with('\n')) out += "\n";
  out += "\nSource: " + std::string(profile.source) + "\n";
  if (!profile.caveat.empty()) {
    out += lines("", "Known to differ: " + std::string(profile.caveat) + ".");
  }
  return out + "More: docs/sql.md\n";
}

nlohmann::ordered_json explain_json(const Profile& profile) {
  return {{"name", profile.name},
          {"kind", "engine level"},
          {"summary", profile.summary},
          {"observed", profile.is_observed},
          {"source", profile.source}};
}

}  // namespace txscope::report
