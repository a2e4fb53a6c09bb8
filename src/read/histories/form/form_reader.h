#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "read/histories/form/form.h"
#include "read/histories/form/form_scalar.h"

namespace txscope::read {

class Input;

/// Reads EDN (edn-format.org) or JSON (RFC 8259), one value after the other,
/// and knows the place of everything inside the current one.
///
/// A file of several values and a file of one vector or list of them look the
/// same: `next_element` gives the elements.  In EDN tags (`#inst`,
/// `#jepsen.Op`) are skipped, what follows them counts; `#_` drops the value
/// after it.  Tokens that Clojure prints although EDN has no name for them
/// (`#"regex"`, `##NaN`) are accepted as long as nobody asks for their value.
///
/// Only the current value is in memory.  Collections may be nested kMaxDepth
/// deep; the parser keeps its own stack, so depth costs no recursion.
class FormReader final : public FormSource {
 public:
  static constexpr std::size_t kMaxDepth = 512;
  static constexpr std::size_t kMaxSize = std::size_t{1} << 28;

  /// Reads from the input, which must outlive the reader.
  explicit FormReader(Input& input, Notation notation = Notation::Edn);

  /// From here on the list in [name key [1 2 3]], a step of an event, has no
  /// nodes for the elements that are known.  `lists` must outlive the reader.
  void skip_known(KnownLists& lists) { known_lists_ = &lists; }

  /// The next element into form(); false at the end.
  [[nodiscard]] Result<bool> next_element();
  /// Reads one value out of a text; `at` is where to begin, and afterwards
  /// where the value ended.  Errors are relative to the input's current line.
  [[nodiscard]] Result<bool> next_in(std::string_view text, std::size_t& at);

  [[nodiscard]] const Form& form() const { return form_; }
  /// The line in which the current value begins.
  [[nodiscard]] std::uint64_t line() const { return form_line_; }
  [[nodiscard]] Error error_at(const FormNode& node, std::string what,
                               std::string hint) override;

 private:
  enum class Frame : std::uint8_t { Collection, Tag, Discard };
  struct Open {
    Frame frame;
    std::uint32_t node;   // of a collection; of a Discard: what to cut back to
    std::uint32_t at;     // where it was opened
    std::uint32_t count;  // elements so far
  };
  enum class Parsed : std::uint8_t { Value, Nothing, Failed };

  [[nodiscard]] bool is_json() const { return notation_ == Notation::Json; }
  [[nodiscard]] bool at_end() { return pos_ == size_ && !refill(); }
  bool refill();
  void note_lines(std::size_t to);
  void forget_text();
  void skip_blank();
  bool skip_tag();
  Result<bool> end_of_elements();

  // These return false after they have set error_.
  bool pass_separator();
  bool pass_comma();
  bool parse_token();
  bool push(Frame frame, std::size_t at);
  bool open(FormKind kind, std::size_t bracket_size);
  bool close(char bracket);
  void pass_known_elements();
  std::size_t skip_known(const FormNode& key, FormNode& list, std::size_t at);
  bool parse_plain_step();
  std::size_t plain_list(std::size_t at, std::size_t step);
  bool parse_hash();
  bool parse_string();
  bool add_escaped(std::size_t at, std::string_view text);
  bool parse_character();
  bool parse_word();
  bool parse_json_word(std::size_t at, std::string_view word);
  bool parse_number(std::size_t at, std::string_view word);
  bool fail(std::size_t at, std::string what, std::string hint = "");
  bool fail_at_end(const std::string& how);

  Parsed parse();
  void finish_value();
  std::size_t scan_token();
  void add(const FormNode& node);
  void add_scalar(FormKind kind, std::size_t at, std::size_t text,
                  std::size_t size);
  [[nodiscard]] std::string open_description() const;
  [[nodiscard]] Error error_at(std::size_t at, std::string what,
                               std::string hint);

  Input* input_;
  Notation notation_;
  bool is_line_ = false;  // the text is one line that the caller holds
  const char* text_ = nullptr;
  std::size_t pos_ = 0;
  std::size_t size_ = 0;
  std::size_t noted_ = 0;  // up to here the input knows of all line ends
  Form form_;
  std::uint64_t form_line_ = 0;
  std::vector<Open> open_;
  std::optional<Error> error_;
  KnownLists* known_lists_ = nullptr;

  char outer_ = 0;  // closes the collection around all elements
  std::uint64_t outer_line_ = 0;
  bool is_outer_closed_ = false;
  bool has_element_ = false;
  bool has_tag_ = false;
};

}  // namespace txscope::read
