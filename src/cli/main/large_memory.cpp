// Memory for the program's large arrays, in large pages where the kernel has
// them.  A history is a few arrays of many megabytes; in pages of 4 KiB the
// kernel's work for each first touch was a fifth of a whole check below causal,
// and looking into them at random missed the processor's table of pages.
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

// Only whole large pages: the rest of an array stays in small ones, so that
// nothing beyond it becomes resident.
void* allocate_large(std::size_t size) {
  void* const memory = memalign(kLargePage, size);
  if (memory != nullptr)
    madvise(memory, size & ~(kLargePage - 1), MADV_HUGEPAGE);
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  void* const memory =
      size >= kLargePage ? allocate_large(size) : std::malloc(size | 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
