#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "support/paths.h"

namespace txscope {

/// A file of the corpus of histories and programs with known answers, which is
/// not part of the repository: `$TXSCOPE_CORPUS`, by default beside the source
/// tree.  Tests skip what is absent:
///
///     const auto path = corpus_file("histories/MANIFEST.tsv");
///     if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is
///     absent";
[[nodiscard]] inline std::filesystem::path corpus_file(std::string_view name) {
  const char* place = std::getenv("TXSCOPE_CORPUS");
  const std::filesystem::path root =
      place != nullptr && *place != '\0'
          ? std::filesystem::path(place)
          : std::filesystem::path(test::source_dir()) / "../shared/corpus";
  return root / name;
}

}  // namespace txscope
