#include "check/anomaly/other_initial_values.h"

#include <algorithm>
#include <map>
#include <optional>

namespace txscope::check {
namespace {

/// Registers of which somebody read the initial value.
std::vector<std::uint8_t> reads_of_initial(const History& history) {
  std::vector<std::uint8_t> found(history.key_count(), 0);
  for (const Op& op : history.ops())
    if (op.kind == OpKind::Read && op.value == history.initial(op.key))
      found[op.key.index] = 1;
  return found;
}

}  // namespace

std::vector<InitialGuess> other_initial_values(
    const History& history, const std::vector<BadRead>& bad) {
  std::map<KeyId, std::optional<Atom>> seen;  // nothing: there are several
  for (const BadRead& read : bad) {
    const Op op = history.at(read.read);
    if (op.kind != OpKind::Read || read.kind == BadReadKind::Internal) continue;
    const auto [place, is_new] = seen.try_emplace(op.key, op.value);
    if (read.kind != BadReadKind::ThinAir || place->second != op.value)
      place->second = std::nullopt;
  }
  if (seen.empty()) return {};
  const auto is_used = reads_of_initial(history);
  std::vector<InitialGuess> guesses;
  for (const auto& [key, value] : seen)
    if (value && is_used[key.index] == 0) guesses.push_back({key, *value});
  return guesses;
}

bool one_value_for_all(const History& history,
                       const std::vector<InitialGuess>& guesses) {
  if (guesses.size() < 2) return false;
  const Atom value = guesses.front().value;
  const auto is_used = reads_of_initial(history);
  return std::all_of(guesses.begin(), guesses.end(),
                     [&](const auto& g) { return g.value == value; }) &&
         std::count(is_used.begin(), is_used.end(), 1) == 0;
}

}  // namespace txscope::check
