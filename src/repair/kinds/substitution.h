#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "repair/query_text.h"

namespace txscope::repair {

/// What variables stand for: expressions over the columns of a row.
class Meaning {
 public:
  void set(std::uint32_t slot, std::string name, std::string text,
           bool is_long);
  [[nodiscard]] bool knows(std::uint32_t slot) const {
    return by_slot_.contains(slot);
  }
  /// The expression that a name of a variable stands for; null: none.
  [[nodiscard]] const std::string* of_name(const std::string& name) const;

  /// Words of a routine with the expressions in the variables' places.
  [[nodiscard]] std::string by_name(const Problem& problem,
                                    const std::vector<Token>& words,
                                    Piece piece) const;
  /// Words of a statement, whose names may also be columns.
  [[nodiscard]] std::string by_place(
      const Problem& problem, const std::vector<Token>& words, Piece piece,
      const std::vector<sql::DbStatement::Mention>& mentions) const;

 private:
  struct Text {
    std::string text;
    bool is_long = false;  ///< more than one word
  };
  using Find = std::function<const Text*(std::size_t word)>;
  static std::string replaced(const Problem& problem,
                              const std::vector<Token>& words, Piece piece,
                              const Find& find);

  std::map<std::uint32_t, Text> by_slot_;
  std::map<std::string, std::uint32_t> slots_;
};

/// The condition of an IF over variables that stand for columns, as conditions
/// of the row.
class GuardText {
 public:
  GuardText(const Problem& problem, const std::vector<Token>& words,
            Piece condition, const Meaning& meaning, const sql::Table& table)
      : problem_(problem),
        words_(words),
        condition_(condition),
        meaning_(meaning),
        table_(table) {}

  /// All of which hold where the condition does.
  [[nodiscard]] std::vector<std::string> conditions() const;
  /// All of which hold where it does not.
  [[nodiscard]] std::vector<std::string> opposite() const;
  /// It says nothing but that some of these variables are not NULL.
  [[nodiscard]] bool only_tests_null(
      const sql::Routine& routine,
      const std::vector<std::uint32_t>& slots) const;

 private:
  [[nodiscard]] bool is(Piece piece,
                        std::initializer_list<std::string_view> words) const;
  /// `v IS [NOT] NULL`: what v stands for.
  [[nodiscard]] const std::string* null_test(Piece piece, bool is_not) const;
  void add_not_null(const std::string& text,
                    std::vector<std::string>& out) const;
  [[nodiscard]] std::string negated(Piece piece) const;
  [[nodiscard]] bool has_outer(Piece piece, std::string_view word) const;

  const Problem& problem_;
  const std::vector<Token>& words_;
  const Piece condition_;
  const Meaning& meaning_;
  const sql::Table& table_;
};

}  // namespace txscope::repair
