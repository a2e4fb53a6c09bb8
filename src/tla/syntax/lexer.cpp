#include <array>
#include <cctype>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "tla/syntax/token.h"

namespace txscope::tla {
namespace {

constexpr std::size_t kLargestModule = std::size_t{64} << 20;

const std::unordered_set<std::string_view>& keywords() {
  static const std::unordered_set<std::string_view> words = {
      "ASSUME",    "ASSUMPTION", "AXIOM",  "CASE",     "CHOOSE",
      "CONSTANT",  "CONSTANTS",  "DOMAIN", "ELSE",     "ENABLED",
      "EXCEPT",    "EXTENDS",    "IF",     "IN",       "INSTANCE",
      "LAMBDA",    "LET",        "LOCAL",  "MODULE",   "OTHER",
      "RECURSIVE", "SUBSET",     "THEN",   "THEOREM",  "LEMMA",
      "COROLLARY", "UNCHANGED",  "UNION",  "VARIABLE", "VARIABLES",
      "WITH",      "PROPOSITION"};
  return words;
}

/// Spellings that start with a backslash, and what they are called here.
const std::unordered_map<std::string_view, std::string_view>& words_of_latex() {
  static const std::unordered_map<std::string_view, std::string_view> table = {
      {"\\land", "/\\"},
      {"\\lor", "\\/"},
      {"\\lnot", "~"},
      {"\\neg", "~"},
      {"\\equiv", "<=>"},
      {"\\leq", "<="},
      {"\\geq", ">="},
      {"\\union", "\\cup"},
      {"\\cup", "\\cup"},
      {"\\intersect", "\\cap"},
      {"\\cap", "\\cap"},
      {"\\times", "\\X"},
      {"\\X", "\\X"},
      {"\\circ", "\\o"},
      {"\\o", "\\o"},
      {"\\in", "\\in"},
      {"\\notin", "\\notin"},
      {"\\subseteq", "\\subseteq"},
      {"\\subset", "\\subset"},
      {"\\supseteq", "\\supseteq"},
      {"\\supset", "\\supset"},
      {"\\A", "\\A"},
      {"\\E", "\\E"},
      {"\\forall", "\\A"},
      {"\\exists", "\\E"},
      {"\\AA", "\\AA"},
      {"\\EE", "\\EE"},
      {"\\div", "\\div"},
      {"\\cdot", "\\cdot"},
      {"\\oplus", "\\oplus"},
      {"\\ominus", "\\ominus"},
      {"\\otimes", "\\otimes"},
      {"\\oslash", "\\oslash"},
      {"\\odot", "\\odot"},
      {"\\prec", "\\prec"},
      {"\\preceq", "\\preceq"},
      {"\\succ", "\\succ"},
      {"\\succeq", "\\succeq"},
      {"\\ll", "\\ll"},
      {"\\gg", "\\gg"},
      {"\\sim", "\\sim"},
      {"\\simeq", "\\simeq"},
      {"\\approx", "\\approx"},
      {"\\cong", "\\cong"},
      {"\\asymp", "\\asymp"},
      {"\\doteq", "\\doteq"},
      {"\\propto", "\\propto"},
      {"\\sqsubseteq", "\\sqsubseteq"},
      {"\\sqsupseteq", "\\sqsupseteq"},
      {"\\sqsubset", "\\sqsubset"},
      {"\\sqsupset", "\\sqsupset"},
      {"\\sqcap", "\\sqcap"},
      {"\\sqcup", "\\sqcup"},
      {"\\uplus", "\\uplus"},
      {"\\wr", "\\wr"},
      {"\\star", "\\star"},
      {"\\bullet", "\\bullet"},
      {"\\bigcirc", "\\bigcirc"}};
  return table;
}

struct Spelling {
  std::string_view text;
  std::string_view name;
};

/// Longest first among those with a common beginning.
constexpr std::array kSymbols = std::to_array<Spelling>({
    {"-+->", "-+->"},  {"<=>", "<=>"},      {"...", "..."},
    {"::=", "::="},    {"(+)", "\\oplus"},  {"(-)", "\\ominus"},
    {"(.)", "\\odot"}, {"(/)", "\\oslash"}, {"(\\X)", "\\otimes"},
    {"|->", "|->"},    {"]_", "]_"},        {">>_", ">>_"},
    {"<<", "<<"},      {">>", ">>"},        {"/\\", "/\\"},
    {"\\/", "\\/"},    {"=>", "=>"},        {"=<", "<="},
    {"<=", "<="},      {">=", ">="},        {"/=", "/="},
    {"==", "=="},      {"~>", "~>"},        {"->", "->"},
    {"<-", "<-"},      {"<>", "<>"},        {"[]", "[]"},
    {":>", ":>"},      {"<:", "<:"},        {":=", ":="},
    {"::", "::"},      {"@@", "@@"},        {"..", ".."},
    {"!!", "!!"},      {"##", "##"},        {"$$", "$$"},
    {"??", "??"},      {"%%", "%%"},        {"||", "||"},
    {"|-", "|-"},      {"|=", "|="},        {"-|", "-|"},
    {"=|", "=|"},      {"--", "--"},        {"-.", "-."},
    {"++", "++"},      {"**", "**"},        {"//", "//"},
    {"^^", "^^"},      {"^+", "^+"},        {"^*", "^*"},
    {"^#", "^#"},      {"&&", "&&"},        {"(", "("},
    {")", ")"},        {"[", "["},          {"]", "]"},
    {"{", "{"},        {"}", "}"},          {",", ","},
    {":", ":"},        {"!", "!"},          {"'", "'"},
    {"@", "@"},        {"~", "~"},          {"=", "="},
    {"#", "/="},       {"<", "<"},          {">", ">"},
    {"+", "+"},        {"-", "-"},          {"*", "*"},
    {"/", "/"},        {"^", "^"},          {"%", "%"},
    {"&", "&"},        {"|", "|"},          {"$", "$"},
    {"?", "?"},        {".", "."},          {"\\", "\\"},
    {";", ";"},
});

/// The mathematical characters that newer tools write instead of ASCII.
constexpr std::array kUnicode = std::to_array<Spelling>({
    {"≜", "=="},         {"∧", "/\\"},     {"∨", "\\/"},     {"¬", "~"},
    {"∈", "\\in"},       {"∉", "\\notin"}, {"∀", "\\A"},     {"∃", "\\E"},
    {"⊆", "\\subseteq"}, {"∪", "\\cup"},   {"∩", "\\cap"},   {"≠", "/="},
    {"≤", "<="},         {"≥", ">="},      {"⟨", "<<"},      {"⟩", ">>"},
    {"→", "->"},         {"↦", "|->"},     {"←", "<-"},      {"□", "[]"},
    {"◇", "<>"},         {"⇒", "=>"},      {"⇔", "<=>"},     {"≡", "<=>"},
    {"↝", "~>"},         {"′", "'"},       {"×", "\\X"},     {"∘", "\\o"},
    {"÷", "\\div"},      {"‥", ".."},      {"⊕", "\\oplus"}, {"⊖", "\\ominus"},
});

enum class Input : std::uint8_t { Module, Fragment, Algorithm, Config };

class Lexer {
 public:
  Lexer(const Source& source, Input input)
      : source_(source),
        text_(source.text),
        input_(input),
        is_module_(input != Input::Config) {}

  Tokens run() {
    if (text_.size() > kLargestModule)
      fail({&source_, 0, 0}, "the module is larger than 64 MB");
    if (input_ == Input::Module) skip_to_header();
    while (skip_blank()) {
      const std::size_t before = tokens_.all.size();
      read_token();
      if (tokens_.all.size() == before) continue;
      Token& token = tokens_.all.back();
      if (token.kind == TokenKind::Keyword && token.text == "MODULE") ++open_;
      if (token.kind == TokenKind::Equals && input_ == Input::Module &&
          --open_ == 0)
        break;
    }
    end();
    return std::move(tokens_);
  }

  /// Text after the algorithm need not consist of tokens.
  AlgorithmTokens run_algorithm(std::size_t begin) {
    AlgorithmTokens read;
    while (at_ < begin) step();
    try {
      while (skip_blank() && !looking_at("*)")) read_token();
    } catch (Fault& fault) {
      read.fault = std::move(fault);
    }
    end();
    read.all = std::move(tokens_.all);
    return read;
  }

 private:
  void end() {
    Token token;
    token.spot = here();
    token.offset = static_cast<std::uint32_t>(at_);
    token.is_first_on_line = true;
    tokens_.all.push_back(token);
  }
  Spot here() const { return {&source_, line_, column_}; }
  bool done() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const {
    return text_.compare(at_, what.size(), what) == 0;
  }

  void step() {
    const auto byte = static_cast<unsigned char>(text_[at_++]);
    if (byte == '\n') {
      ++line_;
      column_ = 1;
      indent_ = 1;
      fresh_line_ = true;
      return;
    }
    if ((byte & 0xc0u) == 0x80u) return;  // inside a UTF-8 character
    ++column_;
    indent_ = byte == '\t' ? (indent_ + 7) / 8 * 8 + 1 : indent_ + 1;
  }
  void step(std::size_t count) {
    while (count-- > 0) step();
  }

  /// Everything before "---- MODULE" is prose.
  void skip_to_header() {
    while (!done()) {
      if (looking_at("----")) {
        std::size_t ahead = 4;
        while (peek(ahead) == '-') ++ahead;
        while (peek(ahead) == ' ' || peek(ahead) == '\t') ++ahead;
        if (text_.compare(at_ + ahead, 6, "MODULE") == 0) return;
        step(ahead);
      } else {
        step();
      }
    }
    fail({&source_, 1, 1}, "no module begins in this file",
         "a TLA+ module begins with ---- MODULE Name ----");
  }

  /// Skips white space and comments; false at the end.
  bool skip_blank() {
    while (!done()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        step();
      } else if (c == '\\' && peek(1) == '*') {
        skip_line_comment();
      } else if (c == '(' && peek(1) == '*') {
        skip_block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_line_comment() {
    const Spot begin = here();
    const std::size_t from = at_;
    while (!done() && peek() != '\n') step();
    const auto text = std::string_view(text_).substr(from, at_ - from);
    if (text.find("TRANSLATION") != std::string_view::npos)
      tokens_.comments.push_back({begin, text});
  }

  void skip_block_comment() {
    const Spot begin = here();
    const std::size_t from = at_;
    int depth = 0;
    do {
      if (done()) fail(begin, "this comment is not closed", "add *)");
      if (looking_at("(*")) {
        ++depth;
        step(2);
      } else if (looking_at("*)")) {
        --depth;
        step(2);
      } else {
        step();
      }
    } while (depth > 0);
    const auto text = std::string_view(text_).substr(from, at_ - from);
    if (text.find("algorithm") != std::string_view::npos)
      tokens_.comments.push_back({begin, text});
  }

  void add(TokenKind kind, std::string_view name, std::size_t length) {
    Token token;
    token.kind = kind;
    token.text = name;
    token.spot = here();
    token.indent = indent_;
    token.is_first_on_line = fresh_line_;
    token.offset = static_cast<std::uint32_t>(at_);
    token.length = static_cast<std::uint32_t>(length);
    tokens_.all.push_back(token);
    fresh_line_ = false;
    step(length);
  }

  std::string_view slice(std::size_t length) const {
    return std::string_view(text_).substr(at_, length);
  }

  void read_token() {
    const char c = peek();
    if (is_word(c)) return read_word();
    if (c == '"') return read_string();
    if (c == '\\' && std::isalpha(static_cast<unsigned char>(peek(1))) != 0)
      return read_backslash();
    if (looking_at("----")) return read_ruler('-', TokenKind::Dashes);
    if (looking_at("====")) return read_ruler('=', TokenKind::Equals);
    for (const Spelling& symbol : kSymbols) {
      if (!looking_at(symbol.text)) continue;
      // `f[x]_y` does not exist, so `]_` always begins a subscript.
      return add(TokenKind::Symbol, symbol.name, symbol.text.size());
    }
    for (const Spelling& symbol : kUnicode)
      if (looking_at(symbol.text))
        return add(TokenKind::Symbol, symbol.name, symbol.text.size());
    fail(here(), "unexpected character " + shown(c));
  }

  static std::string shown(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isprint(byte) != 0) return std::string("'") + c + "'";
    constexpr std::string_view digits = "0123456789abcdef";
    return std::string("byte 0x") + digits[byte >> 4u] + digits[byte & 15u];
  }

  void read_ruler(char c, TokenKind kind) {
    std::size_t length = 0;
    while (peek(length) == c) ++length;
    add(kind, slice(length), length);
  }

  /// Identifiers may begin with a digit (`2plr1`), so a word is a number only
  /// if it is digits throughout.
  void read_word() {
    std::size_t length = 0;
    bool is_number = true;
    while (is_word(peek(length))) {
      if (std::isdigit(static_cast<unsigned char>(peek(length))) == 0)
        is_number = false;
      ++length;
    }
    const std::string_view word = slice(length);
    if (is_number) return add(TokenKind::Number, word, length);
    if (is_module_ && (word.starts_with("WF_") || word.starts_with("SF_")))
      return add(TokenKind::Keyword, word.substr(0, 3), 3);
    const bool is_keyword = keywords().contains(word);
    add(is_keyword ? TokenKind::Keyword : TokenKind::Identifier, word, length);
  }

  void read_string() {
    std::size_t length = 1;
    while (peek(length) != '"') {
      if (at_ + length >= text_.size() || peek(length) == '\n')
        fail(here(), "this string is not closed", "add \"");
      length += peek(length) == '\\' ? 2 : 1;
    }
    const std::string_view body = slice(length).substr(1);
    add(TokenKind::String, body, length + 1);
  }

  void read_backslash() {
    std::size_t length = 1;
    while (std::isalpha(static_cast<unsigned char>(peek(length))) != 0)
      ++length;
    // `\o77` is a number, `\o` alone is an operator.
    const bool is_octal = length == 2 && (peek(1) == 'o' || peek(1) == 'O') &&
                          std::isdigit(static_cast<unsigned char>(peek(2)));
    const auto found = is_octal ? words_of_latex().end()
                                : words_of_latex().find(slice(length));
    if (found != words_of_latex().end())
      return add(TokenKind::Symbol, found->second, length);
    if (peek(1) == 'b' || peek(1) == 'o' || peek(1) == 'h' || peek(1) == 'B' ||
        peek(1) == 'O' || peek(1) == 'H') {
      while (is_word(peek(length))) ++length;
      if (length > 2) return add(TokenKind::Number, slice(length), length);
    }
    // `S\T` is a set difference without spaces.
    add(TokenKind::Symbol, "\\", 1);
  }

  const Source& source_;
  const std::string& text_;
  Input input_;
  bool is_module_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  std::uint32_t indent_ = 1;
  bool fresh_line_ = true;
  int open_ = 0;
  Tokens tokens_;
};

}  // namespace

Tokens tokenize(const Source& source) {
  return Lexer(source, Input::Module).run();
}

Tokens tokenize_fragment(const Source& source) {
  return Lexer(source, Input::Fragment).run();
}

AlgorithmTokens tokenize_algorithm(const Source& source, std::size_t begin) {
  return Lexer(source, Input::Algorithm).run_algorithm(begin);
}

Tokens tokenize_config(const Source& source) {
  return Lexer(source, Input::Config).run();
}

}  // namespace txscope::tla
