#include "base/budget.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/interrupt.h"

namespace txscope {

std::string to_string(Spent spent) {
  switch (spent) {
    case Spent::Nothing: return "nothing";
    case Spent::Time: return "time";
    case Spent::Memory: return "memory";
    case Spent::Cancelled: return "cancelled";
    case Spent::Proof: return "proof";
    case Spent::Steps: return "effort";
  }
  return "";
}

Budget::Budget(Limits limits) : limits_(limits) {
  if (limits_.time)
    deadline_ = std::chrono::steady_clock::now() + *limits_.time;
}

Budget::Budget(const Budget& other)
    : limits_(other.limits_),
      deadline_(other.deadline_),
      state_(other.state_.load()) {
  limits_.steps = other.steps_left();
}

Budget Budget::at_most(std::uint64_t steps) const {
  Budget part(*this);
  part.limits_.steps = std::min(steps, part.limits_.steps.value_or(steps));
  return part;
}

void Budget::charge(const Budget& part) const {
  calls_.fetch_add(part.calls_.load());
}

Budget Budget::within(std::chrono::milliseconds time) const {
  Budget part(*this);
  const auto end = std::chrono::steady_clock::now() + time;
  if (!part.deadline_ || end < *part.deadline_) part.deadline_ = end;
  return part;
}

std::optional<std::uint64_t> Budget::steps_left() const {
  if (!limits_.steps) return std::nullopt;
  return *limits_.steps - std::min(*limits_.steps, calls_.load());
}

Budget Budget::share(std::size_t parts) const {
  Budget part(*this);
  const auto now = std::chrono::steady_clock::now();
  if (deadline_ && *deadline_ > now)
    part.deadline_ = now + (*deadline_ - now) / static_cast<long>(parts);
  if (part.limits_.steps) *part.limits_.steps /= parts;
  return part;
}

Budget Budget::with_grace() const {
  constexpr std::chrono::milliseconds kMost{500};
  Budget more(*this);
  if (deadline_ && limits_.time)
    *more.deadline_ += std::min(kMost, *limits_.time / 10);
  if (limits_.memory_bytes)
    more.limits_.memory_bytes = *limits_.memory_bytes / 10 * 11;
  more.limits_.steps.reset();
  if (reason() != Spent::Cancelled) more.state_.store(Spent::Nothing);
  return more;
}

bool Budget::look(std::uint64_t calls) const {
  if (state_.load(std::memory_order_relaxed) != Spent::Nothing) return true;
  auto ended = interrupted() != 0 ? Spent::Cancelled : Spent::Nothing;
  if (deadline_ && std::chrono::steady_clock::now() >= *deadline_)
    ended = Spent::Time;
  if (limits_.memory_bytes && calls % kMemoryEvery == 0 &&
      resident_memory() > *limits_.memory_bytes)
    ended = Spent::Memory;
  if (ended == Spent::Nothing && limits_.steps &&
      calls_.load(std::memory_order_relaxed) >= *limits_.steps)
    ended = Spent::Steps;
  if (ended == Spent::Nothing) return false;
  state_.store(ended);
  return true;
}

bool Budget::has_room(std::uint64_t bytes) const {
  if (spent_now()) return false;
  if (!limits_.memory_bytes ||
      resident_memory() + bytes <= *limits_.memory_bytes)
    return true;
  state_.store(Spent::Memory);
  return false;
}

std::uint64_t resident_memory() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long total = 0;
  unsigned long resident = 0;
  const int fields = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return fields == 2
             ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))
             : 0;
}

void return_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLarge = 4 << 20;
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kLarge);
#endif
}

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace txscope
