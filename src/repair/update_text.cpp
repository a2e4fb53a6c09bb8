#include "repair/update_text.h"

namespace txscope::repair {
namespace {

std::optional<UpdateText::Assignment> assignment_in(
    const std::vector<Token>& words, Piece piece, const sql::Table& table) {
  const bool is_one = piece.to > piece.from + 2 &&
                      column_of(table, words[piece.from].word) &&
                      words[piece.from + 1].is("=");
  if (!is_one) return std::nullopt;
  UpdateText::Assignment one;
  one.column = words[piece.from].word;
  one.value = {piece.from + 2, piece.to};
  const std::size_t sign = one.value.from + 1;
  if (words[one.value.from].word == one.column && sign + 1 < piece.to &&
      (words[sign].is("+") || words[sign].is("-"))) {
    one.sign = words[sign].word.front();
    one.by = {sign + 1, piece.to};
    // n - a + b is not n - (a + b).
    if (!is_one_term(words, one.by)) one.sign = 0;
  }
  return one;
}

}  // namespace

bool is_one_term(const std::vector<Token>& words, Piece piece) {
  return split_at(words, piece.from, piece.to, "+").size() == 1 &&
         split_at(words, piece.from, piece.to, "-").size() == 1;
}

std::optional<UpdateText> update_in(const Problem& problem,
                                    const std::vector<Token>& words) {
  if (words.size() < 6 || !words[0].is("update") || !words[1].is_name() ||
      !words[2].is("set"))
    return std::nullopt;
  UpdateText update;
  update.table = table_named(problem, words[1].word);
  if (update.table == nullptr) return std::nullopt;
  update.set = 2;
  update.where = update.end = words.size();
  int depth = 0;
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (words[i].is("(")) ++depth;
    if (words[i].is(")")) --depth;
    if (depth > 0) continue;
    if (words[i].is("from") || words[i].is("order") || words[i].is("limit"))
      return std::nullopt;
    if (words[i].is("where")) update.where = i;
    if (words[i].is("returning")) {
      update.end = i;
      break;
    }
  }
  if (update.where > update.end) update.where = update.end;
  for (const Piece piece : split_at(words, 3, update.where, ",")) {
    auto one = assignment_in(words, piece, *update.table);
    if (!one) return std::nullopt;
    update.assignments.push_back(std::move(*one));
  }
  return update;
}

}  // namespace txscope::repair
