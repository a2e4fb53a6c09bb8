#include "read/histories/text_explanation.h"

#include <algorithm>

namespace txscope::read {
namespace {

using TextKind = TextEntry::Kind;

constexpr std::int64_t kForever = INT64_MAX;
// Appends of a piece times versions that end in it; the work is at most this
// times the versions.
constexpr std::size_t kMaxPairs = 100000;

std::int64_t end_of(const TextEntry& entry) {
  return entry.status == Status::Unknown ? kForever : entry.end;
}

bool is_aborted(const TextEntry* entry) {
  return entry->status == Status::Aborted;
}

}  // namespace

void TextExplanation::add(const TextEntry& entry, std::string_view text) {
  if (entry.kind == TextKind::Get) {
    const auto [place, is_new] =
        get_index_.try_emplace(std::string(text), gets_.size());
    if (is_new) gets_.push_back({&place->first, entry.end, entry.line});
    auto& time = gets_[place->second].time;
    time = std::min(time, entry.end);
    return;
  }
  if (text.empty()) return;
  const bool is_append = entry.kind == TextKind::Append;
  const PieceId piece = versions_.add_piece(text, is_append);
  if (piece >= uses_.size()) uses_.resize(piece + 1);
  (is_append ? uses_[piece].appends : uses_[piece].puts).push_back(&entry);
}

Result<Done> TextExplanation::find(const std::string& file,
                                   std::uint64_t& effort) {
  auto done = read_texts(file, effort);
  if (!done) return done;
  find_available();
  const auto& all = versions_.versions();
  for (VersionId v = 1; v < all.size(); ++v)
    uses_[all[v].piece].versions.push_back(v);
  for (const Uses& uses : uses_) {
    if (uses.appends.size() > 1 &&
        uses.appends.size() * uses.versions.size() > kMaxPairs)
      return Error{Place{file, uses.appends[1]->line, 0, {}},
                   "the same piece is appended so often that its appends "
                   "cannot be told apart",
                   "append a different piece each time", ""};
    assign(uses);
  }
  return Done{};
}

Result<Done> TextExplanation::read_texts(const std::string& file,
                                         std::uint64_t& effort) {
  for (const Get& get : gets_) {
    const auto reading = versions_.read(*get.text, get.time, effort);
    if (!reading || reading->ways > 1)
      return Error{Place{file, get.line, 0, {}},
                   "what the get returned can be put together from the "
                   "appended pieces in several ways",
                   "append pieces that are not made of other pieces", ""};
    if (reading->ways == 1) read_[*get.text] = reading->version;
  }
  return Done{};
}

// Parents have smaller ids.
void TextExplanation::find_available() {
  const auto& all = versions_.versions();
  available_.assign(all.size(), INT64_MIN);
  for (VersionId v = 1; v < all.size(); ++v) {
    std::int64_t earliest = kForever;
    const Uses& uses = uses_[all[v].piece];
    for (const TextEntry* append : uses.appends)
      earliest = std::min(earliest, append->start);
    if (all[v].parent == TextVersions::kRoot)
      for (const TextEntry* put : uses.puts)
        earliest = std::min(earliest, put->start);
    available_[v] = std::max(available_[all[v].parent], earliest);
  }
}

bool TextExplanation::may_be_put(const Uses& uses, VersionId version) const {
  const auto& v = versions_.versions()[version];
  return v.parent == TextVersions::kRoot &&
         std::any_of(uses.puts.begin(), uses.puts.end(),
                     [&](const TextEntry* put) {
                       return !is_aborted(put) && put->start < v.first_seen;
                     });
}

bool TextExplanation::may_have_made(const TextEntry& append,
                                    VersionId version) const {
  const auto& v = versions_.versions()[version];
  return append.start < v.first_seen && end_of(append) > available_[v.parent];
}

void TextExplanation::assign(const Uses& uses) {
  std::vector<VersionId> open = uses.versions;
  std::vector<const TextEntry*> free = uses.appends;
  if (open.empty()) return;
  if (free.size() == 1 && uses.puts.empty()) {
    // If it was seen as several versions all but one are nobody's.
    made_by_[free[0]] = {first_seen_of(open)};
    return;
  }
  // An aborted append made something only if nothing else can have.
  if (!std::all_of(free.begin(), free.end(), is_aborted))
    std::erase_if(free, is_aborted);
  while (assign_one(uses, open, free)) {
  }
  for (const TextEntry* append : free)
    for (const VersionId v : open)
      if (may_have_made(*append, v)) {
        made_by_[append].push_back(v);
        uncertain_.insert(append);
      }
}

// Closes a version whose maker is certain, or that has none.
bool TextExplanation::assign_one(const Uses& uses, std::vector<VersionId>& open,
                                 std::vector<const TextEntry*>& free) {
  for (std::size_t i = 0; i < open.size(); ++i) {
    const VersionId v = open[i];
    const auto can = [&](const TextEntry* e) { return may_have_made(*e, v); };
    const auto first = std::find_if(free.begin(), free.end(), can);
    const bool has_candidate = first != free.end();
    if (has_candidate &&
        (may_be_put(uses, v) || std::any_of(first + 1, free.end(), can)))
      continue;
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    if (has_candidate) {
      made_by_[*first] = {v};
      free.erase(first);
    }
    return true;
  }
  return false;
}

TextExplanation::VersionId TextExplanation::first_seen_of(
    const std::vector<VersionId>& some) const {
  const auto& all = versions_.versions();
  return *std::min_element(some.begin(), some.end(),
                           [&](VersionId a, VersionId b) {
                             return all[a].first_seen < all[b].first_seen;
                           });
}

const std::vector<TextExplanation::VersionId>& TextExplanation::made_by(
    const TextEntry& append) const {
  static const std::vector<VersionId> kNothing;
  const auto found = made_by_.find(&append);
  return found == made_by_.end() ? kNothing : found->second;
}

std::optional<TextExplanation::VersionId> TextExplanation::version_of(
    const std::string& text) const {
  if (text.empty()) return TextVersions::kRoot;
  const auto found = read_.find(text);
  if (found != read_.end()) return found->second;
  const auto piece = versions_.find_piece(text);
  return piece ? versions_.find(TextVersions::kRoot, *piece) : std::nullopt;
}

}  // namespace txscope::read
