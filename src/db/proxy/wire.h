#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace txscope::db {

// PostgreSQL's frontend/backend protocol 3 (its manual, chapter 55): a type
// byte, a length of four bytes that counts itself, and the rest.  A client's
// first message has no type byte.

inline constexpr std::uint32_t kCancelRequest = 80877102;
inline constexpr std::uint32_t kSslRequest = 80877103;
inline constexpr std::uint32_t kGssRequest = 80877104;
inline constexpr std::uint32_t kProtocol3 = 196608;

/// Reads the fields of a message; after the end everything is 0 or empty, and
/// is_good() false.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t byte();
  std::uint16_t int16();
  std::uint32_t int32();
  /// Up to a zero byte, which is taken, too.
  std::string_view text();
  std::string_view bytes(std::size_t count);
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

/// Cuts a stream into messages.  Of a message above the limit only the first
/// bytes are kept: enough for the names in it.
class WireSplitter {
 public:
  struct Message {
    char type = 0;
    bool is_whole = true;
    std::string_view body;  ///< of one that is not whole its beginning
  };
  /// So many bytes of the body of a large message are told.
  static constexpr std::size_t kBeginning = 1024;
  explicit WireSplitter(std::size_t limit) : limit_(limit) {}

  /// Calls `take` for each message that is complete now.  False: this is no
  /// such stream; nothing is told any more.
  bool feed(std::string_view bytes,
            const std::function<void(const Message&)>& take);

 private:
  [[nodiscard]] std::size_t wanted(std::string_view head) const;

  std::size_t limit_;
  std::string kept_;            ///< the beginning of a message
  std::uint64_t skipping_ = 0;  ///< bytes of a large one still to come
  bool is_broken_ = false;
};

/// An ErrorResponse that ends a connection.
[[nodiscard]] std::string fatal_message(std::string_view sqlstate,
                                        std::string_view text);

}  // namespace txscope::db
