#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace txscope {

/// What `Owner::at` gives for the ids [first, end), as values that are made
/// when they are asked for.  Borrows the owner.
template <class Owner, class AnyId, class Item>
class Sequence {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Item;

    Iterator() = default;
    Iterator(const Owner* owner, std::size_t i) : owner_(owner), i_(i) {}
    Item operator*() const { return owner_->at(AnyId(i_)); }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++i_;
      return old;
    }
    friend Iterator operator+(Iterator it, std::ptrdiff_t n) {
      return {it.owner_, it.i_ + static_cast<std::size_t>(n)};
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.i_ == b.i_;
    }

   private:
    const Owner* owner_ = nullptr;
    std::size_t i_ = 0;
  };

  Sequence(const Owner& owner, std::size_t first, std::size_t end)
      : owner_(&owner), first_(first), end_(end) {}
  [[nodiscard]] std::size_t size() const { return end_ - first_; }
  [[nodiscard]] bool empty() const { return first_ == end_; }
  Item operator[](std::size_t i) const { return owner_->at(AnyId(first_ + i)); }
  [[nodiscard]] Item front() const { return (*this)[0]; }
  [[nodiscard]] Item back() const { return (*this)[size() - 1]; }
  [[nodiscard]] Iterator begin() const { return {owner_, first_}; }
  [[nodiscard]] Iterator end() const { return {owner_, end_}; }

 private:
  const Owner* owner_;
  std::size_t first_;
  std::size_t end_;
};

}  // namespace txscope
