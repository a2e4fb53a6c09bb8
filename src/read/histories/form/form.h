#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace txscope::read {

enum class FormKind : std::uint8_t {
  Nil,
  Bool,
  Integer,  ///< -2^63 .. 2^64-1
  Number,   ///< what is no such integer: fractions, floats, huge integers
  String,
  Character,
  Keyword,
  Symbol,
  Map,
  Vector,
  List,
  Set,
};

/// "an integer", "a map", ...
[[nodiscard]] std::string_view with_article(FormKind kind);

struct FormNode {
  FormKind kind = FormKind::Nil;
  bool is_unescaped = false;  ///< the text is in Form::unescaped
  bool is_unsigned = false;   ///< an Integer above 2^63-1
  std::uint32_t at = 0;       ///< where it begins in the source
  /// Where its text begins; of a collection: the elements that have nodes.
  std::uint32_t text = 0;
  /// Of the text; of a collection: the number of nodes inside it.
  std::uint32_t size = 0;
  /// Also a Bool; of a collection: its first elements that have no nodes, as
  /// KnownLists has them.
  std::int64_t integer = 0;
};

/// One EDN or JSON value, read into a flat array: a collection is followed by
/// its elements, a map by key, value, key, value.  `source` is borrowed from
/// the reader and lives until the next value is read.
///
///     for (Cursor c = form.root().first(); c.is_inside(); c = c.next()) ...
struct Form {
  std::vector<FormNode> nodes;
  std::string_view source;
  std::string unescaped;

  /// A place in the array, and where the collection around it ends.
  class Cursor {
   public:
    Cursor() = default;
    Cursor(const Form& form, std::uint32_t index, std::uint32_t end)
        : form_(&form), index_(index), end_(end) {}

    [[nodiscard]] bool is_inside() const { return index_ < end_; }
    [[nodiscard]] const FormNode& node() const { return form_->nodes[index_]; }
    [[nodiscard]] FormKind kind() const { return node().kind; }
    [[nodiscard]] bool is_nil() const { return kind() == FormKind::Nil; }
    [[nodiscard]] bool is_sequence() const {
      return kind() == FormKind::Vector || kind() == FormKind::List;
    }
    [[nodiscard]] bool is_collection() const { return kind() >= FormKind::Map; }
    /// A keyword, or (as in JSON) a string in its place.
    [[nodiscard]] bool is_name() const {
      return kind() == FormKind::Keyword || kind() == FormKind::String;
    }
    /// The text of a string, keyword (without its colon), symbol or number.
    [[nodiscard]] std::string_view text() const {
      const FormNode& n = node();
      const std::string_view all =
          n.is_unescaped ? std::string_view(form_->unescaped) : form_->source;
      return all.substr(n.text, n.size);
    }
    /// The text of the elements of a list up to this one, a number of it.
    [[nodiscard]] std::string_view text_up_to(const FormNode& last) const {
      const FormNode& n = node();
      return form_->source.substr(n.text, last.text + last.size - n.text);
    }
    /// The first element of a collection.
    [[nodiscard]] Cursor first() const {
      return {*form_, index_ + 1, index_ + 1 + node().size};
    }
    /// The next element of the collection around this one.
    [[nodiscard]] Cursor next() const {
      return {*form_, index_ + 1 + (is_collection() ? node().size : 0), end_};
    }
    /// The number of elements, counted up to `limit`.
    [[nodiscard]] std::size_t count(std::size_t limit) const {
      std::size_t n = 0;
      for (Cursor c = first(); c.is_inside() && n < limit; c = c.next()) ++n;
      return n;
    }

   private:
    const Form* form_ = nullptr;
    std::uint32_t index_ = 0;
    std::uint32_t end_ = 0;
  };

  [[nodiscard]] Cursor root() const {
    return {*this, 0, static_cast<std::uint32_t>(nodes.size())};
  }
};

class ListText;

/// Knows how the list of a key began when it was read before.
class KnownLists {
 public:
  virtual ~KnownLists() = default;
  /// Null if nothing is known.
  [[nodiscard]] virtual const ListText* of(const FormNode& key,
                                           std::string_view text) = 0;
};

/// What reads forms also knows where in the user's file they stand.
class FormSource {
 public:
  virtual ~FormSource() = default;
  /// An error at a value of the current form.
  [[nodiscard]] virtual Error error_at(const FormNode& node, std::string what,
                                       std::string hint) = 0;
};

}  // namespace txscope::read
