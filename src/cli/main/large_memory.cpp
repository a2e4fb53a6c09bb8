// Memory for the program's arrays of some megabytes, in large pages where the
// kernel has them.  A history of 100,000 transactions is a few such arrays; in
// pages of 4 KiB the kernel's work for each first touch was a fifth of a whole
// check below causal, and looks at random places missed the processor's table
// of pages.
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Of larger arrays the kernel would need more large pages than it has at hand.
// On a virtual machine it then takes what the host has to find first: a million
// transactions took twice the processor time, nearly all of it the kernel's.
constexpr std::size_t kMost = 4 * kLargePage;

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
  const bool is_large = size >= kLargePage && size <= kMost;
  void* const memory =
      is_large ? allocate_large(size) : std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
