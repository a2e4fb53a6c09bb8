#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace txscope::read {

/// The texts that one key has held, as a tree: the root is the empty text, and
/// each other version is its parent with one more piece at the end.
///
/// A text is taken apart into pieces that were put or appended: first any
/// piece, then appended ones.  If that is possible in exactly one way, every
/// execution that produced the text went through exactly these versions; its
/// prefixes then have one way each, too, so a version is its text.
class TextVersions {
 public:
  using PieceId = std::uint32_t;
  using VersionId = std::uint32_t;
  static constexpr VersionId kRoot = 0;

  struct Version {
    VersionId parent;
    PieceId piece;
    std::uint64_t size;       ///< of its text
    std::int64_t first_seen;  ///< when the first read that shows it was over
  };
  struct Reading {
    std::size_t ways;  ///< 0, 1, or 2 for more
    VersionId version;
  };

  TextVersions();

  PieceId add_piece(std::string_view text, bool is_append);
  [[nodiscard]] std::optional<PieceId> find_piece(std::string_view text) const;
  /// After all pieces: takes a text apart that was read, the read being over
  /// at that time.  `effort` counts down; nothing if it is spent.
  [[nodiscard]] std::optional<Reading> read(std::string_view text,
                                            std::int64_t time,
                                            std::uint64_t& effort);

  [[nodiscard]] const std::vector<Version>& versions() const {
    return versions_;
  }
  [[nodiscard]] std::optional<VersionId> find(VersionId parent,
                                              PieceId piece) const;
  struct Label {
    std::string text;
    bool is_whole;  ///< false: the size of a long text and its end
  };
  [[nodiscard]] Label label(VersionId version) const;

 private:
  struct Piece {
    std::string text;
    bool is_append = false;
  };
  VersionId extend(VersionId parent, PieceId piece);

  std::deque<Piece> pieces_;  // the keys of index_ point into it
  std::unordered_map<std::string_view, PieceId> index_;
  std::vector<std::size_t> lengths_;  // of the pieces, ascending
  std::vector<Version> versions_;
  std::unordered_map<std::uint64_t, VersionId> children_;
};

}  // namespace txscope::read
