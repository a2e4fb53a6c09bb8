#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace txscope::sql {

// How texts are compared.  A collation is a number, of a type of texts
// (Type::of) and of a text (Value::scale).

/// By their bytes, as under the C locale: PostgreSQL's.  Another one that a
/// text is compared with decides.
inline constexpr std::uint16_t kNoCollation = 0;
/// utf8mb4_bin and its like: so, but spaces at the end do not count.
inline constexpr std::uint16_t kPaddedBytes = 1;
/// utf8mb4_general_ci, for which capitals, accents and spaces at the end do
/// not count.  Stands for others that ignore these; they differ in which
/// letters of other scripts, digraphs and signs are equal.
inline constexpr std::uint16_t kGeneralCi = 2;
/// BINARY and BLOB of MySQL: by their bytes, whatever the other one says.
inline constexpr std::uint16_t kBinary = 3;

/// Of two texts that are compared the one that says more: BINARY counts more
/// than `_bin`, that more than one that ignores case, and any more than none.
[[nodiscard]] constexpr std::uint16_t joint_collation(std::uint16_t a,
                                                      std::uint16_t b) {
  if (a == kBinary || b == kBinary) return kBinary;
  if (a == kPaddedBytes || b == kPaddedBytes) return kPaddedBytes;
  return a > b ? a : b;
}

/// Spaces at the end do not count.
[[nodiscard]] constexpr bool is_padded(std::uint16_t collation) {
  return collation == kPaddedBytes || collation == kGeneralCi;
}

/// The text as it is compared, character by character.
[[nodiscard]] std::string weights(std::string_view text,
                                  std::uint16_t collation);
/// Equal for texts that are equal.
[[nodiscard]] std::string sort_key(std::string_view text,
                                   std::uint16_t collation);
/// Negative, 0 or positive.
[[nodiscard]] int compare_texts(std::string_view a, std::string_view b,
                                std::uint16_t collation);

/// By its name in lower case; nothing: it tells more apart than we do.
[[nodiscard]] std::optional<std::uint16_t> find_collation(
    std::string_view name);

}  // namespace txscope::sql
