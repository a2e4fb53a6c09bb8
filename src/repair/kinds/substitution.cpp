#include "repair/kinds/substitution.h"

#include <algorithm>
#include <array>
#include <utility>

namespace txscope::repair {
namespace {

constexpr auto kOpposites =
    std::to_array<std::pair<std::string_view, std::string_view>>({
        {"<", ">="},
        {">=", "<"},
        {">", "<="},
        {"<=", ">"},
        {"=", "<>"},
        {"<>", "="},
        {"!=", "="},
    });

std::string_view opposite_of(const Token& word) {
  for (const auto& [one, other] : kOpposites)
    if (word.is(one)) return other;
  return "";
}

/// Words beside which an expression needs no parentheses.
bool binds_weakly(const Token& word) {
  for (const std::string_view each : {"and", "or", "(", ")", ","})
    if (word.is(each)) return true;
  return !opposite_of(word).empty();
}

}  // namespace

void Meaning::set(std::uint32_t slot, std::string name, std::string text,
                  bool is_long) {
  by_slot_[slot] = {std::move(text), is_long};
  slots_[std::move(name)] = slot;
}

const std::string* Meaning::of_name(const std::string& name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() ? nullptr : &by_slot_.at(found->second).text;
}

std::string Meaning::replaced(const Problem& problem,
                              const std::vector<Token>& words, Piece piece,
                              const Find& find) {
  std::string text;
  for (std::size_t i = piece.from; i < piece.to; ++i) {
    if (i > piece.from && words[i].offset > words[i - 1].end()) text += ' ';
    const Text* meant = find(i);
    if (meant == nullptr) {
      text += problem.text.substr(words[i].offset, words[i].length);
      continue;
    }
    const bool is_free = (i == piece.from || binds_weakly(words[i - 1])) &&
                         (i + 1 == piece.to || binds_weakly(words[i + 1]));
    text += meant->is_long && !is_free ? "(" + meant->text + ")" : meant->text;
  }
  return text;
}

std::string Meaning::by_name(const Problem& problem,
                             const std::vector<Token>& words,
                             Piece piece) const {
  return replaced(problem, words, piece, [&](std::size_t i) -> const Text* {
    const bool is_member = (i > 0 && words[i - 1].is(".")) ||
                           (i + 1 < words.size() && words[i + 1].is("."));
    const auto found = slots_.find(words[i].word);
    if (!words[i].is_name() || is_member || found == slots_.end())
      return nullptr;
    return &by_slot_.at(found->second);
  });
}

std::string Meaning::by_place(
    const Problem& problem, const std::vector<Token>& words, Piece piece,
    const std::vector<sql::DbStatement::Mention>& mentions) const {
  return replaced(problem, words, piece, [&](std::size_t i) -> const Text* {
    for (const auto& mention : mentions) {
      const auto found = by_slot_.find(mention.index);
      if (mention.at.offset == words[i].offset && found != by_slot_.end())
        return &found->second;
    }
    return nullptr;
  });
}

bool GuardText::is(Piece piece,
                   std::initializer_list<std::string_view> words) const {
  return piece.to - piece.from == words.size() &&
         std::equal(words.begin(), words.end(),
                    words_.begin() + static_cast<std::ptrdiff_t>(piece.from),
                    [](std::string_view word, const Token& token) {
                      return token.is(word);
                    });
}

const std::string* GuardText::null_test(Piece piece, bool is_not) const {
  const Piece rest{piece.from + 1, piece.to};
  const bool is_test =
      is_not ? is(rest, {"is", "not", "null"}) : is(rest, {"is", "null"});
  return is_test ? meaning_.of_name(words_[piece.from].word) : nullptr;
}

void GuardText::add_not_null(const std::string& text,
                             std::vector<std::string>& out) const {
  const auto column = column_of(table_, text);
  if (!column || table_.columns[*column].is_nullable)
    out.push_back(text + " IS NOT NULL");
}

bool GuardText::has_outer(Piece piece, std::string_view word) const {
  return split_at(words_, piece.from, piece.to, word).size() > 1;
}

std::vector<std::string> GuardText::conditions() const {
  std::vector<std::string> out;
  const bool is_or = has_outer(condition_, "or");
  if (is_or)
    return {"(" + meaning_.by_name(problem_, words_, condition_) + ")"};
  for (const Piece piece :
       split_at(words_, condition_.from, condition_.to, "and")) {
    if (is(piece, {"found"})) continue;
    if (const std::string* tested = null_test(piece, true))
      add_not_null(*tested, out);
    else
      out.push_back(meaning_.by_name(problem_, words_, piece));
  }
  return out;
}

std::vector<std::string> GuardText::opposite() const {
  if (has_outer(condition_, "and"))
    return {"NOT (" + meaning_.by_name(problem_, words_, condition_) + ")"};
  std::vector<std::string> out;
  for (const Piece piece :
       split_at(words_, condition_.from, condition_.to, "or")) {
    if (is(piece, {"not", "found"})) continue;
    if (const std::string* tested = null_test(piece, false))
      add_not_null(*tested, out);
    else
      out.push_back(negated(piece));
  }
  return out;
}

/// `a < b` as `a >= b`; anything else behind NOT.
std::string GuardText::negated(Piece piece) const {
  for (std::size_t i = piece.from + 1; i + 1 < piece.to; ++i) {
    const std::string_view other = opposite_of(words_[i]);
    if (other.empty()) continue;
    if (split_at(words_, piece.from, piece.to, words_[i].word).size() != 2 ||
        words_[piece.from].is("not"))
      break;
    return meaning_.by_name(problem_, words_, {piece.from, i}) + " " +
           std::string(other) + " " +
           meaning_.by_name(problem_, words_, {i + 1, piece.to});
  }
  return "NOT (" + meaning_.by_name(problem_, words_, piece) + ")";
}

bool GuardText::only_tests_null(const sql::Routine& routine,
                                const std::vector<std::uint32_t>& slots) const {
  const auto pieces = split_at(words_, condition_.from, condition_.to, "and");
  return std::all_of(pieces.begin(), pieces.end(), [&](Piece piece) {
    return null_test(piece, true) != nullptr &&
           std::any_of(slots.begin(), slots.end(), [&](std::uint32_t slot) {
             return routine.variables[slot].name == words_[piece.from].word;
           });
  });
}

}  // namespace txscope::repair
