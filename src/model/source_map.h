#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace txscope {

/// Where the pieces of a text come from that was put together from several
/// files (psql's \i) or in which variables were replaced (psql's :name).
struct SourceMap {
  struct File {
    std::string name;
    std::string text;
  };
  struct Piece {
    std::uint32_t from = 0;  ///< its first byte in the whole text
    std::uint32_t file = 0;
    std::uint32_t at = 0;  ///< where it begins in that file
    /// The piece is no copy of the file's text but stands for so many bytes.
    std::uint32_t stands_for = 0;
  };
  std::vector<File> files;
  std::vector<Piece> pieces;  ///< in order; the first begins at 0

  [[nodiscard]] const Piece& piece_at(std::size_t offset) const;
  [[nodiscard]] const std::string& file_at(std::size_t offset) const {
    return files[piece_at(offset).file].name;
  }
};

}  // namespace txscope
