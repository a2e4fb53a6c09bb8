#pragma once

#include <filesystem>
#include <vector>

#include "model/history.h"
#include "model/level.h"

namespace txscope {

/// A history in litmus notation together with what is expected of it.  Lines
///
///     holds: snapshot-isolation, serializable none
///     violated: serializable
///
/// name levels, with session order unless they say another; what holds also
/// holds at every weaker level, what is violated at every stronger one.
struct LitmusFile {
  History history;
  std::vector<Level> holds;
  std::vector<Level> violated;

  /// True if realtime order means something: the history has times.
  [[nodiscard]] bool has_times() const;
  /// All levels that are worth asking for.
  [[nodiscard]] std::vector<Level> levels() const;
  /// Whether the level holds, as far as the file says.
  [[nodiscard]] bool says_holds(Level level) const;
  [[nodiscard]] bool says_violated(Level level) const;
};

/// Throws std::invalid_argument if the file is not like this.
[[nodiscard]] LitmusFile read_litmus_file(const std::filesystem::path& path);

/// The *.litmus files of a folder, by name.
[[nodiscard]] std::vector<std::filesystem::path> litmus_files(
    const std::filesystem::path& folder);

}  // namespace txscope
