#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tla/pluscal/translator.h"
#include "tla/syntax/syntax.h"

namespace txscope::tla::pluscal {

/// The byte of the module's text at which its algorithm begins, if it has one.
[[nodiscard]] std::optional<std::size_t> algorithm_begin(const Module& module);

/// Whether a module has an algorithm, no translation of it, and no Init, Next
/// or Spec that would stand beside one.
[[nodiscard]] bool lacks_translation(const Module& module);

/// The tokens of a module with those of its algorithm's translation where it
/// belongs.  Their spots are in the algorithm.
struct TranslatedTokens {
  std::unique_ptr<Source> translation;  ///< what the new tokens are views of
  Tokens tokens;
};
[[nodiscard]] TranslatedTokens with_translation(const Module& module,
                                                Tokens tokens);

/// The text of the module with a new translation in place of the old one, or
/// after the comment of the algorithm.  Throws Fault.
[[nodiscard]] std::string text_with_translation(const Module& module);

/// What is wrong with the translation in the file: it is not what its checksum
/// says, or not that of the algorithm.  Empty if nothing is, or if it was made
/// before there were checksums.
[[nodiscard]] std::string staleness(const Module& module);

}  // namespace txscope::tla::pluscal
