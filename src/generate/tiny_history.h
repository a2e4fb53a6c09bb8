#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/history.h"

namespace txscope::generate {

/// The outside of a small history: who follows whom.  Transactions are
/// numbered from 0, those of a session in its order.
struct TinyFrame {
  struct Times {
    int start = 0;
    int end = 0;
  };
  std::vector<int> session_of;  ///< by transaction
  std::vector<Times> times;     ///< by transaction; empty without times
  int sessions = 0;
};

/// Which frames there are up to renaming.
enum class TinyFrames : std::uint8_t {
  Separate,          ///< every transaction a session of its own
  Sessions,          ///< all ways to form sessions
  Timed,             ///< separate, all ways to overlap
  TimedAndSessions,  ///< all ways to overlap, all sessions that fit them
};

/// All frames of n transactions, fewest sessions first.
[[nodiscard]] std::vector<TinyFrame> tiny_frames(TinyFrames which, int n);

struct TinyOp {
  OpKind kind = OpKind::Read;
  int key = 0;
  /// Of a Read: the transaction it reads from, or kInitialSource, kThinAir.
  int source = 0;
  /// Of a ReadList: the transactions whose elements it saw, one each.
  std::vector<int> elements = {};

  static constexpr int kInitialSource = -1;
  static constexpr int kThinAir = -2;
};

/// A small history in a form that is easy to enumerate.
struct TinyHistory {
  TinyFrame frame;
  std::vector<std::vector<TinyOp>> txns;

  /// As a History: keys x, y, z, ...; sessions a, b, c, ...; the values of a
  /// key are numbered from 1 as its writers come.
  [[nodiscard]] History build() const;

 private:
  [[nodiscard]] int value_of(int key, int writer) const;
};

}  // namespace txscope::generate
