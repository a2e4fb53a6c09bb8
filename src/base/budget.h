#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace txscope {

/// Which budget ended a search.
enum class Spent : std::uint8_t {
  Nothing,
  Time,
  Memory,
  Cancelled,
  Proof,  ///< how many cases a proof may have
  Steps,  ///< the effort that a part of a search may take
};

[[nodiscard]] std::string to_string(Spent spent);

/// How long and how large a search may become.  Engines call `spent()` in
/// their loops and stop with Outcome::Undecided as soon as it says so.
///
/// A call costs a counter; the clock is read every 256 calls and the memory of
/// the process every 65,536, so even inner loops may ask.  Once spent, a
/// budget stays spent.  One Budget may be shared by several threads.
class Budget {
 public:
  struct Limits {
    std::optional<std::chrono::milliseconds> time;
    std::optional<std::uint64_t>
        memory_bytes;  ///< resident size of the process
    /// How often spent() may be asked: effort that is the same on every
    /// machine.  Rounded up to 256.
    std::optional<std::uint64_t> steps = std::nullopt;
  };

  explicit Budget(Limits limits);
  [[nodiscard]] static Budget unlimited() { return Budget(Limits{}); }
  Budget(const Budget& other);
  Budget& operator=(const Budget&) = delete;

  /// As much of this budget as takes so many calls of spent().  Engines limit
  /// their parts so, and never by the clock, which is the user's: the same
  /// input has the same answer on a slow machine.
  [[nodiscard]] Budget at_most(std::uint64_t steps) const;
  /// The same by the clock, where that is what the user asks for.
  [[nodiscard]] Budget within(std::chrono::milliseconds time) const;
  /// A part that was used counts as steps of this, too.
  void charge(const Budget& part) const;
  /// Of at_most(), what is left; none: there is no such limit.
  [[nodiscard]] std::optional<std::uint64_t> steps_left() const;
  /// One of so many equal parts of the time and steps that are left.
  [[nodiscard]] Budget share(std::size_t parts) const;
  /// For saying what was found once a limit is passed: a tenth more of it, of
  /// time at most half a second.  A cancelled budget stays so.
  [[nodiscard]] Budget with_grace() const;

  /// True as soon as a limit is passed.  Cheap; meant for inner loops.
  [[nodiscard]] bool spent() const {
    if (state_.load(std::memory_order_relaxed) != Spent::Nothing) return true;
    const auto calls = calls_.load(std::memory_order_relaxed) + 1;
    calls_.store(calls, std::memory_order_relaxed);
    return calls % kClockEvery == 0 && look(calls);
  }
  /// As spent(), but looks at clock and memory now, and is no step.  For outer
  /// loops and other threads.
  [[nodiscard]] bool spent_now() const { return look(0); }
  /// To be asked before so many bytes are taken at once, which could pass the
  /// limit between two looks: if they would, the budget is spent.
  [[nodiscard]] bool has_room(std::uint64_t bytes) const;

  [[nodiscard]] Spent reason() const { return state_.load(); }
  void cancel() const { state_.store(Spent::Cancelled); }

 private:
  static constexpr std::uint64_t kClockEvery = 256;
  static constexpr std::uint64_t kMemoryEvery = 65536;
  bool look(std::uint64_t calls) const;

  Limits limits_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  mutable std::atomic<std::uint64_t> calls_{0};
  mutable std::atomic<Spent> state_{Spent::Nothing};
};

/// Memory of this process, in bytes: now, and at its highest.
[[nodiscard]] std::uint64_t resident_memory();
[[nodiscard]] std::uint64_t peak_memory();

/// From here on large blocks go back to the system as soon as they are freed,
/// so that a later stage does not come on top of what an earlier one used.  (By
/// itself the allocator of glibc keeps blocks of up to 32 MB: 100 MB at a
/// million transactions; bench_check.)
void return_freed_memory();

}  // namespace txscope
