#include "read/histories/text_versions.h"

#include <algorithm>

namespace txscope::read {
namespace {

constexpr std::int64_t kNever = INT64_MAX;
constexpr std::uint64_t kLongLabel = 120;

std::uint64_t edge(TextVersions::VersionId parent,
                   TextVersions::PieceId piece) {
  return static_cast<std::uint64_t>(parent) << 32 | piece;
}

}  // namespace

TextVersions::TextVersions() { versions_.push_back({kRoot, 0, 0, kNever}); }

TextVersions::PieceId TextVersions::add_piece(std::string_view text,
                                              bool is_append) {
  auto known = index_.find(text);
  if (known == index_.end()) {
    pieces_.push_back({std::string(text), false});
    const auto id = static_cast<PieceId>(pieces_.size() - 1);
    known = index_.emplace(pieces_.back().text, id).first;
    const auto place =
        std::lower_bound(lengths_.begin(), lengths_.end(), text.size());
    if (place == lengths_.end() || *place != text.size())
      lengths_.insert(place, text.size());
  }
  pieces_[known->second].is_append |= is_append;
  return known->second;
}

std::optional<TextVersions::PieceId> TextVersions::find_piece(
    std::string_view text) const {
  const auto known = index_.find(text);
  if (known == index_.end()) return std::nullopt;
  return known->second;
}

std::optional<TextVersions::VersionId> TextVersions::find(VersionId parent,
                                                          PieceId piece) const {
  const auto known = children_.find(edge(parent, piece));
  if (known == children_.end()) return std::nullopt;
  return known->second;
}

std::optional<TextVersions::Reading> TextVersions::read(std::string_view text,
                                                        std::int64_t time,
                                                        std::uint64_t& effort) {
  // ways[i]: how the first i bytes can be taken apart; last[i]: the last piece.
  std::vector<std::uint8_t> ways(text.size() + 1, 0);
  std::vector<PieceId> last(text.size() + 1, 0);
  ways[0] = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (ways[i] == 0) continue;
    for (const std::size_t length : lengths_) {
      if (length == 0) continue;
      if (length > text.size() - i) break;
      if (effort < length) return std::nullopt;
      effort -= length;
      const auto piece = find_piece(text.substr(i, length));
      if (!piece || (i != 0 && !pieces_[*piece].is_append)) continue;
      ways[i + length] =
          static_cast<std::uint8_t>(std::min(2, ways[i + length] + ways[i]));
      last[i + length] = *piece;
    }
  }
  if (ways[text.size()] != 1) return Reading{ways[text.size()], kRoot};
  std::vector<PieceId> path;
  for (std::size_t i = text.size(); i != 0; i -= pieces_[last[i]].text.size())
    path.push_back(last[i]);
  VersionId version = kRoot;
  for (std::size_t i = path.size(); i-- > 0;) {
    version = extend(version, path[i]);
    auto& first_seen = versions_[version].first_seen;
    first_seen = std::min(first_seen, time);
  }
  return Reading{1, version};
}

TextVersions::VersionId TextVersions::extend(VersionId parent, PieceId piece) {
  const auto [place, is_new] = children_.try_emplace(
      edge(parent, piece), static_cast<VersionId>(versions_.size()));
  if (is_new)
    versions_.push_back({parent, piece,
                         versions_[parent].size + pieces_[piece].text.size(),
                         kNever});
  return place->second;
}

TextVersions::Label TextVersions::label(VersionId version) const {
  const std::uint64_t size = versions_[version].size;
  std::vector<PieceId> path;
  std::uint64_t shown = 0;
  for (VersionId v = version; v != kRoot; v = versions_[v].parent) {
    if (size > kLongLabel && shown > kLongLabel / 2) break;
    path.push_back(versions_[v].piece);
    shown += pieces_[versions_[v].piece].text.size();
  }
  std::string text;
  for (std::size_t i = path.size(); i-- > 0;) text += pieces_[path[i]].text;
  if (text.size() == size) return {text, true};
  return {std::to_string(size) + " bytes ending in " + text, false};
}

}  // namespace txscope::read
