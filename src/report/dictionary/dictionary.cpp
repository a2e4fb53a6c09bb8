#include "report/dictionary/dictionary.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/suggest.h"
#include "report/dictionary/entries.h"

namespace txscope::report::dictionary {
namespace {

std::vector<Entry> make_all() {
  std::vector<Entry> entries;
  for (auto make : {level_entries, order_entries, anomaly_entries, term_entries,
                    answer_entries, strategy_entries, other_entries})
    for (Entry& entry : make()) entries.push_back(std::move(entry));
  return entries;
}

// Takes a marker of an order off a name; what is left keeps its meaning.
struct Marked {
  std::string_view rest;
  std::string_view order;  // empty if there was no marker
};

Marked split_order(std::string_view name) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr auto kPrefixes = std::to_array<Pair>({
      {"strong-session-", "session"},
      {"strong-", "realtime"},
      {"strict-", "realtime"},
  });
  constexpr auto kSuffixes = std::to_array<Pair>({
      {"-session", "session"},
      {"-process", "session"},
      {"-realtime", "realtime"},
  });
  for (const auto& [prefix, order] : kPrefixes)
    if (name.starts_with(prefix)) return {name.substr(prefix.size()), order};
  for (const auto& [suffix, order] : kSuffixes)
    if (name.ends_with(suffix))
      return {name.substr(0, name.size() - suffix.size()), order};
  return {name, {}};
}

const Entry* find_exactly(std::string_view canonical_name) {
  for (const Entry& entry : all()) {
    if (canonical(entry.name) == canonical_name) return &entry;
    const auto& aliases = entry.aliases;
    if (std::find(aliases.begin(), aliases.end(), canonical_name) !=
        aliases.end())
      return &entry;
  }
  return nullptr;
}

}  // namespace

std::span<const Entry> all() {
  static const std::vector<Entry> entries = make_all();
  return entries;
}

std::string canonical(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '_' || c == ' ')
      text += '-';
    else if (c >= 'A' && c <= 'Z')
      text += static_cast<char>(c - 'A' + 'a');
    else
      text += c;
  }
  return text;
}

const Entry* find(std::string_view name) {
  // "write skew (G2-item)", as reports say it: the plain words come first.
  if (name.ends_with(')') && name.find(" (") != std::string_view::npos)
    name = name.substr(0, name.find(" ("));
  const std::string wanted = canonical(name);
  if (const Entry* entry = find_exactly(wanted)) return entry;
  const Marked marked = split_order(wanted);
  return marked.order.empty() ? nullptr : find_exactly(marked.rest);
}

const Entry* find_order(std::string_view name) {
  const std::string wanted = canonical(name);
  const Marked marked = split_order(wanted);
  if (marked.order.empty() || find_exactly(marked.rest) == nullptr)
    return nullptr;
  return find_exactly(marked.order);
}

std::vector<std::string_view> suggest(std::string_view name) {
  const std::string wanted = canonical(name).substr(0, 64);
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const Entry& entry : all()) {
    const std::string own = canonical(entry.name);
    std::size_t nearest = edit_distance(wanted, own);
    if (wanted.size() >= 3 && own.find(wanted) != std::string::npos)
      nearest = std::min<std::size_t>(nearest, 1);
    for (const auto alias : entry.aliases)
      nearest = std::min(nearest, edit_distance(wanted, alias));
    if (nearest <= std::max<std::size_t>(1, wanted.size() / 3))
      found.emplace_back(nearest, entry.name);
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (const auto& [distance, own] : found)
    if (names.size() < 3) names.push_back(own);
  return names;
}

}  // namespace txscope::report::dictionary
