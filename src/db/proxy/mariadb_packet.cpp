#include "db/proxy/mariadb_packet.h"

#include <algorithm>
#include <array>

namespace txscope::db {
namespace {

constexpr std::size_t kWhole = 0xFFFFFF;  // of a packet that goes on

}  // namespace

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0;
}

void put_number(std::string& text, std::size_t at, std::uint64_t value,
                std::size_t size) {
  for (std::size_t i = 0; i < size && at + i < text.size(); ++i)
    text[at + i] = static_cast<char>(value >> (8 * i) & 255);
}

std::uint64_t PacketReader::number(std::size_t size) {
  const std::string_view taken = bytes(size);
  std::uint64_t value = 0;
  for (std::size_t i = taken.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(taken[i]);
  return value;
}

std::uint64_t PacketReader::length() {
  const std::uint64_t first = number(1);
  if (first < 0xFB) return first;
  if (first == 0xFC) return number(2);
  if (first == 0xFD) return number(3);
  if (first == 0xFE) return number(8);
  is_good_ = false;
  return 0;
}

std::string_view PacketReader::bytes(std::size_t count) {
  if (count > bytes_.size()) {
    is_good_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view result = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return result;
}

std::string_view PacketReader::text() {
  const std::size_t end = bytes_.find('\0');
  if (end == std::string_view::npos) {
    is_good_ = false;
    return rest();
  }
  const std::string_view result = bytes_.substr(0, end);
  bytes_.remove_prefix(end + 1);
  return result;
}

bool PacketReader::takes_null() {
  if (byte_at(bytes_, 0) != 0xFB) return false;
  bytes_.remove_prefix(1);
  return true;
}

std::string packets_of(std::string_view payload, std::uint8_t sequence) {
  std::string result;
  while (true) {
    const std::string_view part = payload.substr(0, kWhole);
    payload.remove_prefix(part.size());
    std::string head(4, '\0');
    put_number(head, 0, part.size(), 3);
    head[3] = static_cast<char>(sequence++);
    result.append(head).append(part);
    if (part.size() < kWhole) return result;
  }
}

PacketSplitter::Extent PacketSplitter::extent(std::size_t from) const {
  Extent result{from, 0, false, false};
  while (!result.is_last && kept_.size() >= result.end + 4) {
    const auto length = static_cast<std::size_t>(
        PacketReader(std::string_view(kept_).substr(result.end, 3)).number(3));
    result.end += 4 + length;
    ++result.packets;
    result.is_last = length < kWhole;
    if (kept_.size() < result.end) return result;
  }
  result.is_here = result.is_last;
  return result;
}

bool PacketSplitter::skip() {
  while (true) {
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(skipping_, kept_.size()));
    kept_.erase(0, count);
    skipping_ -= count;
    if (skipping_ > 0) return false;
    if (is_last_) return true;
    if (kept_.size() < 4) return false;
    const std::uint64_t length =
        PacketReader(std::string_view(kept_).substr(0, 3)).number(3);
    skipping_ = 4 + length;
    is_last_ = length < kWhole;
  }
}

void PacketSplitter::feed(std::string_view bytes,
                          const std::function<void(const Packet&)>& take) {
  kept_ += bytes;
  std::size_t done = 0;
  while (true) {
    if (is_large_) {
      if (!skip()) return;
      is_large_ = false;
      take({sequence_, beginning_, {}, false});
    }
    const Extent found = extent(done);
    if (found.packets == 0) break;
    const std::size_t size = found.end - done - 4 * found.packets;
    if (size > limit_ && kept_.size() >= done + 4 + kBeginning) {
      sequence_ = byte_at(kept_, done + 3);
      beginning_ = kept_.substr(done + 4, kBeginning);
      is_large_ = true;
      is_last_ = found.is_last;
      skipping_ = found.end - done;
      kept_.erase(0, done);
      done = 0;
      continue;
    }
    if (!found.is_here) break;
    const std::string_view raw =
        std::string_view(kept_).substr(done, found.end - done);
    std::string joined;
    std::string_view payload = raw.substr(4);
    if (found.packets > 1) {
      for (std::size_t from = 0; from < raw.size(); from += 4 + kWhole)
        joined += raw.substr(from + 4, kWhole);
      payload = joined;
    }
    take({byte_at(raw, 3), payload, raw, true});
    done = found.end;
  }
  kept_.erase(0, done);
}

}  // namespace txscope::db
