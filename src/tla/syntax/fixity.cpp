#include "tla/syntax/fixity.h"

#include <unordered_map>

namespace txscope::tla {
namespace {

using Table = std::unordered_map<std::string_view, Fixity>;

const Fixity* find(const Table& table, std::string_view symbol) {
  const auto found = table.find(symbol);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

const Fixity* infix(std::string_view symbol) {
  static const Table table = {
      {"=>", {1, 1, false}},
      {"-+->", {2, 2, false}},
      {"<=>", {2, 2, false}},
      {"~>", {2, 2, false}},
      {"/\\", {3, 3, true}},
      {"\\/", {3, 3, true}},
      {"/=", {5, 5, false}},
      {"=", {5, 5, false}},
      {"<", {5, 5, false}},
      {">", {5, 5, false}},
      {"<=", {5, 5, false}},
      {">=", {5, 5, false}},
      {"\\in", {5, 5, false}},
      {"\\notin", {5, 5, false}},
      {"\\subseteq", {5, 5, false}},
      {"\\subset", {5, 5, false}},
      {"\\supseteq", {5, 5, false}},
      {"\\supset", {5, 5, false}},
      {"-|", {5, 5, false}},
      {"|-", {5, 5, false}},
      {"|=", {5, 5, false}},
      {"=|", {5, 5, false}},
      {"::=", {5, 5, false}},
      {":=", {5, 5, false}},
      {"\\prec", {5, 5, false}},
      {"\\preceq", {5, 5, false}},
      {"\\succ", {5, 5, false}},
      {"\\succeq", {5, 5, false}},
      {"\\ll", {5, 5, false}},
      {"\\gg", {5, 5, false}},
      {"\\sim", {5, 5, false}},
      {"\\simeq", {5, 5, false}},
      {"\\approx", {5, 5, false}},
      {"\\cong", {5, 5, false}},
      {"\\asymp", {5, 5, false}},
      {"\\doteq", {5, 5, false}},
      {"\\propto", {5, 5, false}},
      {"\\sqsubseteq", {5, 5, false}},
      {"\\sqsupseteq", {5, 5, false}},
      {"\\sqsubset", {5, 5, false}},
      {"\\sqsupset", {5, 5, false}},
      {"\\cdot", {5, 14, true}},
      {"@@", {6, 6, true}},
      {":>", {7, 7, false}},
      {"<:", {7, 7, false}},
      {"\\", {8, 8, false}},
      {"\\cap", {8, 8, true}},
      {"\\cup", {8, 8, true}},
      {"..", {9, 9, false}},
      {"...", {9, 9, false}},
      {"!!", {9, 13, false}},
      {"##", {9, 13, true}},
      {"$", {9, 13, true}},
      {"$$", {9, 13, true}},
      {"??", {9, 13, true}},
      {"\\sqcap", {9, 13, true}},
      {"\\sqcup", {9, 13, true}},
      {"\\uplus", {9, 13, true}},
      {"\\wr", {9, 14, false}},
      {"\\oplus", {10, 10, true}},
      {"+", {10, 10, true}},
      {"++", {10, 10, true}},
      {"%", {10, 11, false}},
      {"%%", {10, 11, true}},
      {"|", {10, 11, true}},
      {"||", {10, 11, true}},
      {"\\ominus", {11, 11, true}},
      {"-", {11, 11, true}},
      {"--", {11, 11, true}},
      {"\\X", {10, 13, true}},
      {"&", {13, 13, true}},
      {"&&", {13, 13, true}},
      {"\\odot", {13, 13, true}},
      {"\\oslash", {13, 13, false}},
      {"\\otimes", {13, 13, true}},
      {"*", {13, 13, true}},
      {"**", {13, 13, true}},
      {"/", {13, 13, false}},
      {"//", {13, 13, false}},
      {"\\bigcirc", {13, 13, true}},
      {"\\bullet", {13, 13, true}},
      {"\\div", {13, 13, false}},
      {"\\o", {13, 13, true}},
      {"\\star", {13, 13, true}},
      {"^", {14, 14, false}},
      {"^^", {14, 14, false}},
  };
  return find(table, symbol);
}

const Fixity* prefix(std::string_view symbol) {
  static const Table table = {
      {"~", {4, 4, true}},           {"ENABLED", {4, 15, false}},
      {"UNCHANGED", {4, 15, false}}, {"[]", {4, 15, true}},
      {"<>", {4, 15, true}},         {"SUBSET", {8, 8, true}},
      {"UNION", {8, 8, true}},       {"DOMAIN", {9, 9, true}},
      {"-", {12, 12, true}},         {"-.", {12, 12, true}},
  };
  return find(table, symbol);
}

const Fixity* postfix(std::string_view symbol) {
  static const Table table = {
      {"'", {15, 15, false}},
      {"^+", {15, 15, false}},
      {"^*", {15, 15, false}},
      {"^#", {15, 15, false}},
  };
  return find(table, symbol);
}

}  // namespace txscope::tla
