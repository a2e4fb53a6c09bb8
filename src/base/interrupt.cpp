#include "base/interrupt.h"

#include <atomic>

namespace txscope {
namespace {

std::atomic<int> asked_by{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler writes it");

}  // namespace

void request_interrupt(int signal) noexcept { asked_by.store(signal); }

int interrupted() noexcept { return asked_by.load(std::memory_order_relaxed); }

}  // namespace txscope
