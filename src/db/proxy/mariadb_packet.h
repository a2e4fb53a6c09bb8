#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace txscope::db {

// The client/server protocol of MariaDB and MySQL (MariaDB's manual,
// "Client/Server Protocol"): packets of a length of three bytes, a number and a
// payload; one of 2^24 - 1 bytes goes on in the next packet.  The server speaks
// first; then the client sends one command at a time.

/// Reads little-endian fields; after the end everything is 0 or empty, and
/// is_good() false.
class PacketReader {
 public:
  explicit PacketReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number(std::size_t size);
  /// A length in one to nine bytes.
  std::uint64_t length();
  std::string_view bytes(std::size_t count);
  std::string_view counted() { return bytes(length()); }
  /// Up to a zero byte, which is taken, too.
  std::string_view text();
  std::string_view rest() { return bytes(bytes_.size()); }
  /// Of a row as text; it is taken.
  bool takes_null();
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

/// A payload as packets; `sequence` is the number of the first.
[[nodiscard]] std::string packets_of(std::string_view payload,
                                     std::uint8_t sequence);

/// Cuts a stream into payloads.  Of one above the limit only the first bytes
/// are kept.
class PacketSplitter {
 public:
  struct Packet {
    std::uint8_t sequence = 0;  ///< of its first packet
    std::string_view payload;   ///< of one that is not whole its beginning
    std::string_view raw;       ///< the packets as they came, if it is whole
    bool is_whole = true;
  };
  /// So many bytes of a large payload are told.
  static constexpr std::size_t kBeginning = 1024;
  explicit PacketSplitter(std::size_t limit = std::size_t{1} << 40)
      : limit_(limit) {}

  void feed(std::string_view bytes,
            const std::function<void(const Packet&)>& take);

 private:
  /// How the payload that begins there stands.
  struct Extent {
    std::size_t end = 0;  ///< behind the last packet that is known of
    std::size_t packets = 0;
    bool is_last = false;  ///< that one ends the payload
    bool is_here = false;  ///< all of it
  };
  [[nodiscard]] Extent extent(std::size_t from) const;
  /// Drops what it can of a large payload; false: more is to come.
  bool skip();

  std::size_t limit_;
  std::string kept_;
  std::uint64_t skipping_ = 0;  ///< bytes of a large one still to come
  bool is_last_ = true;         ///< they are its last packet
  bool is_large_ = false;       ///< in one
  std::uint8_t sequence_ = 0;   ///< of it
  std::string beginning_;
};

/// 0 behind the end.
[[nodiscard]] std::uint8_t byte_at(std::string_view text, std::size_t at);
/// Little-endian, as far as there is room.
void put_number(std::string& text, std::size_t at, std::uint64_t value,
                std::size_t size);

}  // namespace txscope::db
