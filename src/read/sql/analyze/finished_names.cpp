#include "read/sql/analyze/finished_names.h"

#include <algorithm>

#include "base/suggest.h"

namespace txscope::sql {

std::optional<Names::Found> FinishedNames::find(
    std::span<const std::string> name, Span at, bool is_column) const {
  if (name.size() < 3) return std::nullopt;
  std::vector<std::string> sessions;
  for (std::uint32_t s = 0; s < application_.sessions.size(); ++s) {
    sessions.push_back(application_.sessions[s].name);
    if (sessions.back() == name[0]) return in_session(s, name, at);
  }
  if (is_column) return std::nullopt;
  source_.fail(at, "there is no session '" + name[0] + "'",
               hint_among(name[0], sessions, "sessions"));
}

Names::Found FinishedNames::in_session(std::uint32_t number,
                                       std::span<const std::string> name,
                                       Span at) const {
  const Session& session = application_.sessions[number];
  std::string label = name[1];
  std::replace(label.begin(), label.end(), '$', '#');
  std::vector<std::string> labels;
  for (std::uint32_t c = 0; c < session.calls.size(); ++c) {
    const Call& call = session.calls[c];
    labels.push_back(call.label);
    if (call.label != label) continue;
    return in_call({number, c, 0}, application_.at(call.routine), name, at);
  }
  source_.fail(
      at, "session '" + session.name + "' has no transaction '" + label + "'",
      hint_among(label, labels, "transactions"));
}

Names::Found FinishedNames::in_call(VariableRef ref, const Routine& routine,
                                    std::span<const std::string> name,
                                    Span at) const {
  std::string wanted = name[2];
  for (const std::string& part : name.subspan(3)) wanted += "." + part;
  std::optional<std::uint32_t> found;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < routine.variables.size(); ++i) {
    const std::string& variable = routine.variables[i].name;
    if (variable.empty()) continue;
    names.push_back(variable);
    if (variable != wanted) continue;
    if (found) {
      source_.fail(
          at, "'" + routine.name + "' has several variables '" + wanted + "'",
          "rename one of them");
    }
    found = i;
  }
  if (!found) {
    source_.fail(at, "'" + routine.name + "' has no variable '" + wanted + "'",
                 hint_among(wanted, names, "variables"));
  }
  ref.slot = *found;
  auto& known = property_.variables;
  const auto same = std::find_if(
      known.begin(), known.end(), [&ref](const VariableRef& other) {
        return other.session == ref.session && other.call == ref.call &&
               other.slot == ref.slot;
      });
  const auto index = static_cast<std::uint32_t>(same - known.begin());
  if (same == known.end()) known.push_back(ref);
  return {index, routine.variables[*found].type};
}

}  // namespace txscope::sql
