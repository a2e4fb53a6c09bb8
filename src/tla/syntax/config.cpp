#include "tla/syntax/config.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/suggest.h"
#include "tla/syntax/token.h"

namespace txscope::tla {
namespace {

constexpr int kDeepestSet = 100;

constexpr auto kStatements =
    std::to_array<std::string_view>({"CONSTANT",
                                     "CONSTANTS",
                                     "SPECIFICATION",
                                     "INIT",
                                     "NEXT",
                                     "VIEW",
                                     "SYMMETRY",
                                     "INVARIANT",
                                     "INVARIANTS",
                                     "PROPERTY",
                                     "PROPERTIES",
                                     "CONSTRAINT",
                                     "CONSTRAINTS",
                                     "ACTION_CONSTRAINT",
                                     "ACTION_CONSTRAINTS",
                                     "ALIAS",
                                     "POSTCONDITION",
                                     "POSTCONDITIONS",
                                     "CHECK_DEADLOCK",
                                     "_PERIODIC",
                                     "_POSSIBLE",
                                     "_RL_REWARD"});

bool is_statement(std::string_view word) {
  return std::find(kStatements.begin(), kStatements.end(), word) !=
         kStatements.end();
}

class ConfigParser {
 public:
  explicit ConfigParser(const Source& source)
      : tokens_(tokenize_config(source).all) {}

  Config run() {
    while (peek().kind != TokenKind::End) statement();
    return std::move(config_);
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = tokens_[next_];
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
  }
  bool accept(std::string_view symbol) {
    if (peek().kind != TokenKind::Symbol || peek().text != symbol) return false;
    take();
    return true;
  }
  bool at_name() const {
    const TokenKind kind = peek().kind;
    return (kind == TokenKind::Identifier || kind == TokenKind::Keyword ||
            kind == TokenKind::Symbol) &&
           !is_statement(peek().text);
  }
  ConfigName name(std::string_view what) {
    const Token& token = peek();
    if (token.kind != TokenKind::Identifier || is_statement(token.text))
      fail(token.spot, "expected " + std::string(what) +
                           (token.kind == TokenKind::End
                                ? ", found the end of the file"
                                : ", found '" + std::string(token.text) + "'"));
    take();
    return {std::string(token.text), token.spot};
  }

  void statement() {
    const Token token = take();
    const std::string_view word = token.text;
    if (word == "CONSTANT" || word == "CONSTANTS") return constants();
    if (word == "SPECIFICATION") return once(config_.specification, token);
    if (word == "INIT") return once(config_.init, token);
    if (word == "NEXT") return once(config_.next, token);
    if (word == "VIEW") return once(config_.view, token);
    if (word == "SYMMETRY") return list(config_.symmetry);
    if (word == "INVARIANT" || word == "INVARIANTS")
      return list(config_.invariants);
    if (word == "PROPERTY" || word == "PROPERTIES")
      return list(config_.properties);
    if (word == "CONSTRAINT" || word == "CONSTRAINTS")
      return list(config_.constraints);
    if (word == "ACTION_CONSTRAINT" || word == "ACTION_CONSTRAINTS")
      return list(config_.action_constraints);
    if (word == "ALIAS") return once(config_.alias, token);
    if (word == "POSTCONDITION" || word == "POSTCONDITIONS")
      return list(config_.postconditions);
    if (word == "_POSSIBLE") return list(config_.possible);
    if (word == "_PERIODIC") return once(config_.periodic, token);
    if (word == "CHECK_DEADLOCK") {
      const ConfigName value = name("TRUE or FALSE");
      if (value.name != "TRUE" && value.name != "FALSE")
        fail(value.spot, "CHECK_DEADLOCK is TRUE or FALSE");
      config_.check_deadlock = value.name == "TRUE";
      return;
    }
    if (is_statement(word))
      fail(token.spot, std::string(word) + " is not supported");
    fail(token.spot,
         "expected a statement such as CONSTANT or INVARIANT, found '" +
             std::string(word) + "'",
         suggestion(word, std::vector<std::string>(kStatements.begin(),
                                                   kStatements.end())));
  }

  void once(std::optional<ConfigName>& into, const Token& statement) {
    if (into.has_value())
      fail(statement.spot, std::string(statement.text) + " is given twice");
    into = name("a name after " + std::string(statement.text));
  }

  void list(std::vector<ConfigName>& into) {
    while (peek().kind == TokenKind::Identifier && !is_statement(peek().text)) {
      into.push_back(name("a name"));
      accept(",");
    }
  }

  void constants() {
    while (at_name()) {
      const Token& token = take();
      const ConfigName constant{std::string(token.text), token.spot};
      std::vector<ConfigValue> arguments;
      if (accept("(")) {
        do arguments.push_back(value(0));
        while (accept(","));
        if (!accept(")")) fail(peek().spot, "expected , or )");
      }
      if (accept("=")) {
        std::string module;
        if (accept("[")) {
          module = name("a module").name;
          if (!accept("]")) fail(peek().spot, "expected ]");
        }
        config_.assignments.push_back(
            {constant, module, value(0), std::move(arguments)});
      } else if (arguments.empty() && accept("<-")) {
        Config::Replacement replacement;
        replacement.constant = constant;
        if (accept("[")) {
          replacement.module = name("a module").name;
          if (!accept("]")) fail(peek().spot, "expected ]");
        }
        if (peek().kind == TokenKind::Symbol) {  // Plus <- +
          const Token& symbol = take();
          replacement.definition = {std::string(symbol.text), symbol.spot};
        } else {
          replacement.definition = name("the name of a definition");
        }
        config_.replacements.push_back(std::move(replacement));
      } else {
        fail(peek().spot, arguments.empty()
                              ? "expected = or <- after " + constant.name
                              : "expected = after " + constant.name + "(...)");
      }
      accept(",");
    }
  }

  ConfigValue value(int depth) {
    if (depth > kDeepestSet) fail(peek().spot, "this is nested too deeply");
    ConfigValue result;
    const Token token = take();
    if (token.kind == TokenKind::Number ||
        (token.kind == TokenKind::Symbol && token.text == "-" &&
         peek().kind == TokenKind::Number)) {
      const bool negative = token.kind == TokenKind::Symbol;
      const std::string_view digits = negative ? take().text : token.text;
      result.kind = ConfigValue::Kind::Number;
      const auto [end, status] = std::from_chars(
          digits.data(), digits.data() + digits.size(), result.number);
      if (status != std::errc() || end != digits.data() + digits.size() ||
          result.number > (std::int64_t{1} << 60) - 1)
        fail(token.spot, "this number is too large");
      if (negative) result.number = -result.number;
    } else if (token.kind == TokenKind::String) {
      result.kind = ConfigValue::Kind::String;
      result.text = std::string(token.text);
    } else if (token.kind == TokenKind::Identifier) {
      const bool truth = token.text == "TRUE";
      if (truth || token.text == "FALSE") {
        result.kind = ConfigValue::Kind::Boolean;
        result.number = truth ? 1 : 0;
      } else {
        result.text = std::string(token.text);
      }
    } else if (token.kind == TokenKind::Symbol && token.text == "{") {
      result.kind = ConfigValue::Kind::Set;
      if (!accept("}")) {
        do result.elements.push_back(value(depth + 1));
        while (accept(","));
        if (!accept("}")) fail(peek().spot, "expected , or } in a set");
      }
    } else {
      fail(token.spot, "expected a value",
           "a number, a string, a model value or a set of these");
    }
    return result;
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  Config config_;
};

}  // namespace

Config parse_config(const Source& source) { return ConfigParser(source).run(); }

}  // namespace txscope::tla
