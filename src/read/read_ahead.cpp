#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "read/bytes.h"

namespace txscope::read {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::size_t kPieces = 3;  // one is read from, others are filled

/// A thread fills pieces in turn; read() empties them in turn.
class ReadAhead final : public ByteSource {
 public:
  explicit ReadAhead(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), pieces_(kPieces) {
    thread_ = std::thread([this] { fill_all(); });
  }
  ~ReadAhead() override {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return emptied_ < filled_ || is_at_end_; });
    if (emptied_ == filled_) {
      failure_ = source_->failure();
      return 0;
    }
    // The thread does not touch a piece that is filled.
    Piece& piece = pieces_[emptied_ % kPieces];
    lock.unlock();
    const std::size_t count = std::min(size, piece.size - taken_);
    std::copy_n(piece.bytes.get() + taken_, count, to);
    taken_ += count;
    if (taken_ < piece.size) return count;
    taken_ = 0;
    lock.lock();
    ++emptied_;
    changed_.notify_all();
    return count;
  }

 private:
  struct Piece {
    std::unique_ptr<char[]> bytes =
        std::make_unique_for_overwrite<char[]>(kPiece);
    std::size_t size = 0;
  };

  void fill_all() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock,
                    [&] { return is_over_ || filled_ - emptied_ < kPieces; });
      if (is_over_) return;
      Piece& piece = pieces_[filled_ % kPieces];
      lock.unlock();
      piece.size = source_->read(piece.bytes.get(), kPiece);
      lock.lock();
      if (piece.size == 0) {
        is_at_end_ = true;
        changed_.notify_all();
        return;
      }
      ++filled_;
      changed_.notify_all();
    }
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<Piece> pieces_;
  std::size_t taken_ = 0;  // of the piece that is read from

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t filled_ = 0;  // pieces, so far
  std::size_t emptied_ = 0;
  bool is_at_end_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source) {
  return std::make_unique<ReadAhead>(std::move(source));
}

}  // namespace txscope::read
