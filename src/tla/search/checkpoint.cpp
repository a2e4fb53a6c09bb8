#include "tla/search/checkpoint.h"

#include <filesystem>

#include "base/random.h"
#include "tla/syntax/source.h"

namespace txscope::tla {
namespace {

constexpr std::string_view kMagic = "txscope model checkpoint 1\n";
constexpr std::size_t kBuffer = std::size_t{1} << 16u;

std::uint64_t added(std::uint64_t sum, std::string_view bytes) {
  for (const char c : bytes)
    sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return sum;
}

}  // namespace

CheckpointWriter::CheckpointWriter(const std::string& path) {
  auto file = AtomicFile::open(path);
  if (!file) throw Fault{file.error()};
  file_ = std::move(*file);
  put(kMagic);
}

void CheckpointWriter::put(std::string_view bytes) {
  sum_ = added(sum_, bytes);
  buffer_ += bytes;
  if (buffer_.size() < kBuffer) return;
  file_->write(buffer_);
  buffer_.clear();
}

void CheckpointWriter::number(std::uint64_t n) {
  char bytes[8];
  for (char& byte : bytes) {
    byte = static_cast<char>(n & 0xffu);
    n >>= 8u;
  }
  put({bytes, 8});
}

void CheckpointWriter::bytes(std::string_view bytes) {
  number(bytes.size());
  put(bytes);
}

void CheckpointWriter::commit() {
  number(scramble(sum_));
  file_->write(buffer_);
  if (auto done = file_->commit(); !done) throw Fault{done.error()};
}

CheckpointReader::CheckpointReader(const std::string& path)
    : path_(path), file_(path, std::ios::binary) {
  std::error_code error;
  left_ = std::filesystem::file_size(path, error);
  if (!file_ || error) complain("this file cannot be read");
  if (left_ < kMagic.size()) complain("this is no checkpoint of a model");
  std::string magic(kMagic.size(), '\0');
  get(magic.data(), magic.size());
  if (magic != kMagic)
    complain("this is no checkpoint of a model",
             "--checkpoint FILE writes one when a search is ended");
}

void CheckpointReader::complain(std::string what, std::string hint) const {
  throw Fault{Error{{path_, 0, 0, {}}, std::move(what), std::move(hint), {}}};
}

void CheckpointReader::get(char* to, std::size_t size) {
  if (size > left_) complain("this checkpoint is damaged: it ends too early");
  if (!file_.read(to, static_cast<std::streamsize>(size)))
    complain("this file cannot be read");
  left_ -= size;
  sum_ = added(sum_, {to, size});
}

std::uint64_t CheckpointReader::number() {
  char bytes[8];
  get(bytes, 8);
  std::uint64_t n = 0;
  for (unsigned i = 0; i < 8; ++i)
    n |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return n;
}

std::string CheckpointReader::bytes() {
  const std::uint64_t size = number();
  if (size > left_) complain("this checkpoint is damaged: it ends too early");
  std::string result(size, '\0');
  get(result.data(), size);
  return result;
}

void CheckpointReader::finish() {
  const std::uint64_t expected = scramble(sum_);
  if (number() != expected || left_ != 0)
    complain("this checkpoint is damaged");
}

}  // namespace txscope::tla
