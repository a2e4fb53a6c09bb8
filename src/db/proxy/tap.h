#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "db/record/log.h"

namespace txscope::db {

/// How much of what passes is kept.
struct TapLimits {
  std::size_t message = 16u << 20;      ///< bytes of one message
  std::size_t transaction = 64u << 20;  ///< bytes of an open transaction
  std::size_t pending = 100'000;        ///< messages without an answer
};

/// What stands in `opaque` of a statement of which not all was kept.
inline constexpr const char* kTooLarge = "too large";
/// It stands in its product's own words; who cannot run it knows no more than
/// of what was too large.
inline constexpr const char* kOwnWords = "own words";
/// The same of a COPY whose rows were not kept.
inline constexpr const char* kCopy = "copy";

/// Listens to one connection between a client and a server and tells its
/// transactions.  It changes nothing and forwards nothing.  Each protocol has
/// its own kind.
class Tap {
 public:
  using Sink = std::function<void(LoggedTransaction)>;

  virtual ~Tap() = default;

  /// Bytes as they pass.
  virtual void client(std::string_view bytes) = 0;
  virtual void server(std::string_view bytes) = 0;
  /// One side is gone; nothing more comes.
  virtual void closed(bool by_server) = 0;

  /// Why it no longer records this connection; empty: it does.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::uint64_t unobserved() const { return unobserved_; }
  /// Statements that were too large to keep.
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }

 protected:
  std::string problem_;
  std::uint64_t unobserved_ = 0;  ///< results that were too large to keep
  std::uint64_t unknown_ = 0;     ///< statements that were
};

/// Memory that a row takes, about.
[[nodiscard]] std::size_t cost_of(const std::vector<Cell>& cells);

}  // namespace txscope::db
