// PREPARE, EXECUTE: statements in texts that are known.

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "model/sql/type.h"
#include "read/sql/mysql/lexer.h"
#include "read/sql/mysql/program.h"
#include "read/sql/mysql/state.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

/// The text of a statement, in which values become `?`.
class OpenText {
 public:
  /// Calls `on_open` at each `?` that is no part of a text.
  template <class OnOpen>
  void add(std::string_view written, const OnOpen& on_open) {
    for (std::size_t i = 0; i < written.size(); ++i) {
      const char c = written[i];
      const bool is_quote = c == '\'' || c == '"' || c == '`';
      if (quote_ == 0 && is_quote) {
        open(c);
      } else if (quote_ == 0) {
        if (c == '?') on_open();
        is_glued_ |= is_value_last_ &&
                     (ascii::is_letter(c) || c == '_' || ascii::is_digit(c));
        is_value_last_ = c == '?';
        made_ += c;
      } else if (c == '\\' && quote_ != '`' && i + 1 < written.size()) {
        made_ += c;
        made_ += written[++i];
      } else {
        made_ += c;
        if (c == quote_) close();
      }
    }
  }
  void add_value() {
    if (quote_ == 0) {
      is_glued_ |= is_value_last_;
      is_value_last_ = true;
      made_ += '?';
      return;
    }
    // 'it is ' and more: CONCAT('it is ', ?, ' and more')
    if (!is_joined_) made_.insert(start_, "CONCAT(");
    is_joined_ = true;
    made_ += quote_;
    made_ += ", ?, ";
    made_ += quote_;
  }
  /// In which quotes its end stands; 0: in none.
  [[nodiscard]] char quote() const { return quote_; }
  [[nodiscard]] const std::string& text() const { return made_; }
  /// What follows a value is a part of the same word.
  [[nodiscard]] bool is_glued() const { return is_glued_; }

 private:
  void open(char c) {
    // '' inside of a text is one of its characters.
    const std::string_view closed = is_joined_ ? ")" : "";
    const bool is_doubled =
        last_ == c && made_.size() == closed_at_ + closed.size();
    if (is_doubled) {
      made_.resize(closed_at_);
    } else {
      start_ = made_.size();
      is_joined_ = false;
    }
    quote_ = c;
    made_ += c;
  }
  void close() {
    last_ = std::exchange(quote_, '\0');
    closed_at_ = made_.size();
    if (is_joined_) made_ += ')';
  }

  std::string made_;
  char quote_ = 0;
  char last_ = 0;
  std::size_t start_ = 0;
  std::size_t closed_at_ = 0;
  bool is_joined_ = false;
  bool is_value_last_ = false;
  bool is_glued_ = false;
};

/// Without it the text is NULL, which is no statement.
PlIf fails_if_null(const Names::Found& value, Span at) {
  PlIf test;
  PlIf::Arm& arm = test.arms.emplace_back();
  arm.condition.op = Op::IsNull;
  arm.condition.type = kBoolean;
  arm.condition.at = at;
  arm.condition.args.push_back(slot_value(value.slot, value.type, at));
  PlRaise raise;
  raise.sqlstate = "42000";
  raise.message = "You have an error in your SQL syntax near 'NULL'";
  arm.body.push_back(make(at, std::move(raise)));
  return test;
}

}  // namespace

/// The text that an expression makes; null: it is not known.  `is_once`: nobody
/// evaluates it besides.
std::shared_ptr<const MadeText> MysqlProgram::made_text(Span of, bool is_once,
                                                        PlBlock& out) {
  const auto at_offset = [&](std::size_t offset) {
    return static_cast<std::size_t>(
        std::partition_point(
            tokens_.begin(), tokens_.end(),
            [&](const Token& token) { return token.offset < offset; }) -
        tokens_.begin());
  };
  const std::size_t from = at_offset(of.offset);
  const std::size_t to = at_offset(of.offset + of.length);
  const bool may_be = at(from).kind == TokenKind::String ||
                      at(from).is("concat") ||
                      (to == from + 1 && at(from).is_name());
  if (!may_be || from >= to) return nullptr;
  // What a function does, it does once.
  for (std::size_t i = from; i < to && !is_once; ++i)
    if (tokens_[i].is("(") && !tokens_[i - 1].is("concat") &&
        !tokens_[i - 1].is("quote"))
      return nullptr;
  auto made = std::make_shared<MadeText>();
  add_text(*made, from, to, out);
  // Of one value alone nothing is known.
  const bool is_value = made->pieces.size() == 1 && made->pieces[0].value;
  return is_value ? nullptr : made;
}

void MysqlProgram::add_text(MadeText& made, std::size_t from, std::size_t to,
                            PlBlock& out) {
  const std::size_t back = std::exchange(at_, from);
  const auto done = [&] { at_ = back; };
  const bool is_constant = std::all_of(
      tokens_.begin() + static_cast<std::ptrdiff_t>(from),
      tokens_.begin() + static_cast<std::ptrdiff_t>(to),
      [](const Token& token) { return token.kind == TokenKind::String; });
  if (is_constant) {
    for (std::size_t i = from; i < to; ++i)
      made.pieces.push_back({tokens_[i].word, {}, false});
    return done();
  }
  if (is("concat") && is("(", 1) && at(to - 1).is(")")) {
    at_ += 2;
    while (at_ < to) {
      const std::size_t first = at_;
      const std::size_t end = std::min(find({",", ")"}), to - 1);
      add_text(made, first, end, out);
      at_ = end + 1;
    }
    return done();
  }
  if (to == from + 1 && at(from).is_name()) {
    const Place variable =
        place(source_.mysql()->name(tokens_[from].word), here());
    if (const auto known = texts_.of(variable.binding.slot)) {
      made.pieces.insert(made.pieces.end(), known->pieces.begin(),
                         known->pieces.end());
      return done();
    }
  }
  // What it is now: the variables may have other values when it runs.
  MadeText::Piece piece;
  piece.is_quoted = is("quote") && is("(", 1) && at(to - 1).is(")");
  if (piece.is_quoted) {
    from += 2;
    to -= 1;
  }
  const Span span = text(from, to);
  Expr value = decided(source_, expression(from, to, out));
  const Type type = bare(value.type);
  piece.value = Names::Found{builder_.add_slot("", type, span), type};
  builder_.assign(piece.value->slot, std::move(value), span, out);
  made.pieces.push_back(std::move(piece));
  done();
}

/// The text up to there, or a refusal.
std::shared_ptr<const MadeText> MysqlProgram::text_here(std::size_t end,
                                                        PlBlock& out) {
  const Span at = text(at_, end);
  declare_users(at_, end);
  auto made = at_ < end ? made_text(at, true, out) : nullptr;
  if (made == nullptr)
    source_.unsupported(at, "PREPARE of a text that is computed is",
                        "write it as CONCAT() of constants and values");
  at_ = end;
  return made;
}

/// PREPARE name FROM 'text' | @variable
void MysqlProgram::prepare(PlBlock& out) {
  ++at_;
  const std::string called = name("a name");
  expect("from");
  texts_.prepare(called, text_here(find({";"}), out));
}

void MysqlProgram::deallocate() {
  ++at_;
  expect("prepare");
  texts_.deallocate(name("a name"));
}

/// EXECUTE name [USING @a, ...], EXECUTE IMMEDIATE text [USING ...]
void MysqlProgram::execute_text(PlBlock& out) {
  const Span start = here();
  ++at_;
  std::shared_ptr<const MadeText> made;
  if (accept("immediate")) {
    made = text_here(std::min(find({"using"}), find({";"})), out);
  } else {
    const Span at = here();
    made = texts_.prepared(name("a name"));
    if (made == nullptr)
      source_.unsupported(at, "EXECUTE of what may be prepared elsewhere is",
                          "write PREPARE just before it");
  }
  std::vector<Names::Found> values;
  if (accept("using")) {
    do {
      const std::size_t end = find({",", ";"});
      const Span span = text(at_, end);
      Expr value = decided(source_, expression(at_, end, out));
      at_ = end;
      const Type type = bare(value.type);
      values.push_back({builder_.add_slot("", type, span), type});
      builder_.assign(values.back().slot, std::move(value), span, out);
    } while (accept(","));
  }
  run_text(*made, values, start, out);
}

/// Each value is a `?` of the text, in which a statement sees user variables
/// and no others.
void MysqlProgram::run_text(const MadeText& made,
                            const std::vector<Names::Found>& given, Span at,
                            PlBlock& out) {
  OpenText all;
  std::vector<Names::Found> values;
  std::size_t used = 0;
  for (const MadeText::Piece& piece : made.pieces) {
    if (!piece.value) {
      all.add(piece.text, [&] {
        if (used == given.size())
          source_.fail(at, "EXECUTE has fewer values than its text has '?'");
        values.push_back(given[used++]);
      });
      continue;
    }
    check_joined(piece, all.quote(), all.text().ends_with('-'), at);
    if (!piece.is_quoted) emit(out, at, fails_if_null(*piece.value, at));
    values.push_back(*piece.value);
    all.add_value();
  }
  if (used != given.size())
    source_.fail(at, "EXECUTE has more values than its text has '?'");
  if (all.is_glued())
    source_.unsupported(at, "EXECUTE of a word that is computed is",
                        "put a space behind the value");
  std::string text = all.text();
  while (!text.empty() && (text.back() == ';' || text.back() == ' '))
    text.pop_back();
  const std::uint32_t offset = source_.append(text, at);
  const Tokens tokens = scan(source_, text, offset);
  declare_users(tokens.list, 0, tokens.list.size());
  const Tree tree = parse_statement(source_, tokens.list, text, offset);
  switch (tree.statement().node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT: break;
    default:
      source_.unsupported(at, "EXECUTE of this statement is",
                          "SELECT, INSERT, UPDATE and DELETE are");
  }
  builder_.see_only(std::move(values));
  run_sql(tree, out);
  builder_.see_all();
}

/// Whether a value may stand there in a text: as a number, or in quotes.
void MysqlProgram::check_joined(const MadeText::Piece& piece, char quote,
                                bool is_behind_minus, Span at) const {
  const TypeName type = piece.value->type.name;
  const bool is_number = is_integer(type) || type == TypeName::Numeric;
  const bool is_name = quote == '`';
  if (is_name || (quote == 0 && !piece.is_quoted && !is_number))
    source_.unsupported(at, "EXECUTE of a text that is computed is",
                        "the names of tables and columns must be constants, "
                        "and texts belong in QUOTE() or USING");
  if (quote == 0 && is_number && is_behind_minus)
    source_.unsupported(at, "a number after '-' in EXECUTE is",
                        "put a space between them");
  if (quote != 0 && piece.is_quoted)
    source_.unsupported(at, "QUOTE() inside quotes of EXECUTE is", "");
  if (quote != 0)
    builder_.catalog().assumed.insert(
        "values inside the quotes of a text that EXECUTE runs (line " +
        std::to_string(at.line) + ") have no quotes themselves");
}

}  // namespace txscope::sql
