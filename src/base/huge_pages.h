#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace txscope {

/// An allocator for tables that are read at random: where they are large, in
/// pages of 2 MB if the system has them, so that most reads miss one cache
/// instead of two.
template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class Other>
  explicit HugePages(const HugePages<Other>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* room = std::aligned_alloc(kPage, whole);
    if (room == nullptr) throw std::bad_alloc();
    ::madvise(room, whole, MADV_HUGEPAGE);  // only advice: it may fail
    return static_cast<T*>(room);
  }
  void deallocate(T* room, std::size_t count) {
    if (count * sizeof(T) < kPage)
      ::operator delete(room);
    else
      std::free(room);
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20u;
};

}  // namespace txscope
