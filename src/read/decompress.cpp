#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <string_view>
#include <vector>

#include "read/bytes.h"

namespace txscope::read {
namespace {

constexpr std::size_t kPackedChunk = 128 * 1024;

/// The compressed bytes, with a look at the first ones.
class Packed {
 public:
  explicit Packed(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), buffer_(kPackedChunk) {}

  /// What is there; more is fetched only when nothing is left.
  std::string_view available() {
    if (begin_ == end_) fetch();
    return {buffer_.data() + begin_, end_ - begin_};
  }
  /// At least `count` bytes if the source has them, at the very beginning.
  std::string_view first(std::size_t count) {
    while (end_ < count) {
      const std::size_t got =
          source_->read(buffer_.data() + end_, buffer_.size() - end_);
      if (got == 0) break;
      end_ += got;
    }
    return {buffer_.data(), end_};
  }
  void consume(std::size_t count) {
    begin_ += count;
    offset_ += count;
  }
  /// The next bytes, for who needs nothing of this: those that are there, then
  /// straight from the source.
  std::size_t read(char* to, std::size_t size) {
    if (begin_ == end_) {
      buffer_ = {};
      return source_->read(to, size);
    }
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(to, buffer_.data() + begin_, count);
    consume(count);
    return count;
  }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] const std::optional<ByteSource::Failure>& failure() const {
    return source_->failure();
  }

 private:
  void fetch() {
    begin_ = 0;
    end_ = source_->read(buffer_.data(), buffer_.size());
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

class PlainBytes final : public ByteSource {
 public:
  explicit PlainBytes(Packed packed) : packed_(std::move(packed)) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = packed_.read(to, size);
    if (count == 0) failure_ = packed_.failure();
    return count;
  }

 private:
  Packed packed_;
};

/// What gzip and zstd have in common: pull, feed, and say where it went wrong.
class Unpacker : public ByteSource {
 public:
  Unpacker(Packed packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)) {}

  [[nodiscard]] bool unpacks() const final { return true; }
  std::size_t read(char* to, std::size_t size) final {
    while (!failure_) {
      const std::string_view there = packed_.available();
      if (there.empty() && !may_hold_more_) {
        if (packed_.failure())
          failure_ = packed_.failure();
        else if (!is_complete())
          fail("is cut off in the middle of its " + name_ + " data");
        return 0;
      }
      std::size_t used = 0;
      const std::size_t made = unpack(there, used, to, size);
      packed_.consume(used);
      may_hold_more_ = made == size;
      if (made != 0) return made;
      if (used == 0 && !there.empty() && !failure_)
        fail("holds " + name_ + " data that does not go on");
    }
    return 0;
  }

 protected:
  /// Unpacks some of `from`; sets how many of its bytes were used.
  virtual std::size_t unpack(std::string_view from, std::size_t& used, char* to,
                             std::size_t size) = 0;
  /// True if the data may end here.
  [[nodiscard]] virtual bool is_complete() const = 0;

  void fail(std::string what) {
    failure_ = Failure{std::move(what),
                       "compress it again, or give the plain "
                       "file",
                       packed_.offset()};
  }
  void damaged(std::size_t used, const char* why) {
    packed_.consume(used);
    fail("holds damaged " + name_ + " data" +
         (why != nullptr ? std::string(": ") + why : ""));
  }

 private:
  Packed packed_;
  std::string name_;
  bool may_hold_more_ = false;  // the last piece was full
};

class GzipBytes final : public Unpacker {
 public:
  explicit GzipBytes(Packed packed) : Unpacker(std::move(packed), "gzip") {
    [[maybe_unused]] const int status = inflateInit2(&stream_, 15 + 16);
    assert(status == Z_OK && "zlib can always be set up");
  }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override { inflateEnd(&stream_); }

 private:
  std::size_t unpack(std::string_view from, std::size_t& used, char* to,
                     std::size_t size) override {
    if (is_between_) {
      // Members may follow each other, and some writers pad with zeros.
      const std::size_t zeros =
          std::min(from.find_first_not_of('\0'), from.size());
      used = zeros;
      if (zeros == from.size()) return 0;
      from.remove_prefix(zeros);
      inflateReset(&stream_);
      is_between_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    stream_.avail_in = static_cast<uInt>(from.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out =
        static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
    const uInt room = stream_.avail_out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t eaten = from.size() - stream_.avail_in;
    if (status == Z_STREAM_END) is_between_ = true;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      damaged(used + eaten, stream_.msg);
      used = 0;
      return 0;
    }
    used += eaten;
    return room - stream_.avail_out;
  }
  [[nodiscard]] bool is_complete() const override { return is_between_; }

  z_stream stream_{};
  bool is_between_ = false;
};

class ZstdBytes final : public Unpacker {
 public:
  explicit ZstdBytes(Packed packed)
      : Unpacker(std::move(packed), "zstd"), stream_(ZSTD_createDStream()) {
    assert(stream_ != nullptr && "zstd can always be set up");
  }
  ZstdBytes(const ZstdBytes&) = delete;
  ZstdBytes& operator=(const ZstdBytes&) = delete;
  ~ZstdBytes() override { ZSTD_freeDStream(stream_); }

 private:
  std::size_t unpack(std::string_view from, std::size_t& used, char* to,
                     std::size_t size) override {
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(status) != 0) {
      damaged(in.pos, ZSTD_getErrorName(status));
      used = 0;
      return 0;
    }
    is_complete_ = status == 0;
    used = in.pos;
    return out.pos;
  }
  [[nodiscard]] bool is_complete() const override { return is_complete_; }

  ZSTD_DStream* stream_;
  bool is_complete_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source) {
  Packed packed(std::move(source));
  const std::string_view magic = packed.first(4).substr(0, 4);
  if (magic.substr(0, 2) == "\x1f\x8b")
    return std::make_unique<GzipBytes>(std::move(packed));
  if (magic == "\x28\xb5\x2f\xfd")
    return std::make_unique<ZstdBytes>(std::move(packed));
  return std::make_unique<PlainBytes>(std::move(packed));
}

}  // namespace txscope::read
