#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace txscope::sql {

/// A regular expression of PostgreSQL (its "advanced" ones), as far as it needs
/// no memory: characters, sets, groups, alternatives, counts, the ends of the
/// text.  Characters beyond ASCII are nobody's letters, as under the C locale.
///
/// Method.  Compiled to a nondeterministic automaton that is run on all its
/// states at once (Thompson, CACM 11(6), 1968): linear in text and pattern.
class Regex {
 public:
  /// `problem`: why it cannot be used; empty: it can.
  static Regex compile(std::string_view pattern, bool is_any_case,
                       std::string& problem);

  /// Whether some part of the text matches.
  [[nodiscard]] bool finds(std::string_view text) const;
  /// Where the first part that matches begins and ends, of those that begin at
  /// `from` or behind; of several that begin there the longest.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> find(
      std::string_view text, std::size_t from) const;
  /// Which part matches depends on counts that take as few as they can.
  [[nodiscard]] bool has_lazy_counts() const { return has_lazy_counts_; }
  [[nodiscard]] bool has_groups() const { return has_groups_; }

 private:
  friend class RegexCompiler;

  struct Set {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    bool is_negated = false;
  };
  struct Instruction {
    enum class Kind : std::uint8_t { Take, Split, Jump, Begin, End, Found };
    Kind kind = Kind::Found;
    std::uint32_t set = 0;  ///< of Take
    std::uint32_t to = 0;   ///< of Jump, and the other way of Split
  };

  [[nodiscard]] bool has(const Set& set, std::uint32_t character) const;
  void follow(std::uint32_t step, bool is_begin, bool is_end,
              std::vector<std::uint32_t>& states,
              std::vector<bool>& is_in) const;
  /// The end of the longest match that begins there.
  [[nodiscard]] std::optional<std::size_t> match_at(std::string_view text,
                                                    std::size_t from) const;

  std::vector<Set> sets_;
  std::vector<Instruction> steps_;
  bool is_any_case_ = false;
  bool has_lazy_counts_ = false;
  bool has_groups_ = false;  ///< in parentheses that are not (?:...)
};

/// The compiled form, kept for the life of the process.
[[nodiscard]] const Regex& regex_of(std::string_view pattern, bool is_any_case,
                                    std::string& problem);

}  // namespace txscope::sql
