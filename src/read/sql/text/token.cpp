#include "read/sql/text/token.h"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/ascii.h"
#include "read/sql/mysql/lexer.h"
#include "read/sql/text/nesting.h"

namespace txscope::sql {
namespace {

struct ScanResult {
  explicit ScanResult(const char* text) : result(pg_query_scan(text)) {
    if (result.error != nullptr) return;
    tokens = pg_query__scan_result__unpack(
        nullptr, result.pbuf.len,
        reinterpret_cast<const std::uint8_t*>(result.pbuf.data));
  }
  ScanResult(const ScanResult&) = delete;
  ScanResult& operator=(const ScanResult&) = delete;
  ~ScanResult() {
    if (tokens != nullptr) {
      pg_query__scan_result__free_unpacked(tokens, nullptr);
    }
    pg_query_free_scan_result(result);
  }
  PgQueryScanResult result;
  PgQuery__ScanResult* tokens = nullptr;
};

TokenKind kind_of(const PgQuery__ScanToken& token, std::string_view text) {
  switch (token.token) {
    case PG_QUERY__TOKEN__IDENT:
      return text.starts_with('"') ? TokenKind::Quoted : TokenKind::Word;
    case PG_QUERY__TOKEN__SCONST:
    case PG_QUERY__TOKEN__USCONST:
    case PG_QUERY__TOKEN__BCONST:
    case PG_QUERY__TOKEN__XCONST: return TokenKind::String;
    case PG_QUERY__TOKEN__ICONST:
    case PG_QUERY__TOKEN__FCONST: return TokenKind::Number;
    default: break;
  }
  return token.keyword_kind != PG_QUERY__KEYWORD_KIND__NO_KEYWORD
             ? TokenKind::Word
             : TokenKind::Symbol;
}

std::string word_of(TokenKind kind, std::string_view text) {
  std::string word(text);
  if (kind == TokenKind::Word) {
    for (char& c : word) {
      c = ascii::lower(c);
    }
  }
  if (kind == TokenKind::Quoted) {
    word = word.substr(1, word.size() - 2);
    for (std::size_t i = 0; (i = word.find("\"\"", i)) != std::string::npos;) {
      word.erase(i++, 1);
    }
  }
  if (kind == TokenKind::String || kind == TokenKind::Number) word.clear();
  return word;
}

bool is_continuation(std::string_view comment) {
  return comment.starts_with("--@   ") || comment.starts_with("--@\t");
}

/// Whether nothing but white space stands between two offsets, with one line
/// break.
bool is_next_line(std::string_view between) {
  return between.find_first_not_of(" \t\r\n") == std::string_view::npos &&
         std::count(between.begin(), between.end(), '\n') == 1;
}

/// `-- @ session a:`, `/*@ invariant x:`: what was to be an annotation.
bool looks_like_annotation(std::string_view comment) {
  const auto skip = [&](std::string_view what) {
    comment.remove_prefix(
        std::min(comment.find_first_not_of(what), comment.size()));
  };
  skip("-/*");
  skip(" \t");
  if (!comment.starts_with('@')) return false;
  skip("@ \t");
  constexpr std::array<std::string_view, 10> kAnnotations = {
      "session", "invariant", "assert", "level",       "retry",
      "open",    "assume",    "now",    "search_path", "dialect"};
  const std::string_view word =
      comment.substr(0, comment.find_first_of(" \t:"));
  const auto same = [](char a, char b) { return (a | ' ') == b; };
  return std::any_of(kAnnotations.begin(), kAnnotations.end(),
                     [&](std::string_view each) {
                       return std::equal(word.begin(), word.end(), each.begin(),
                                         each.end(), same);
                     });
}

/// The text with a name where it has "": that is the mistake of one statement,
/// which its parser finds, and none of the whole text.
std::string with_names(std::string_view text) {
  constexpr std::string_view kNothing = "\"\"";
  std::string copy(text);
  if (copy.find(kNothing) == std::string::npos) return copy;
  for (;;) {
    const ScanResult scanned(copy.c_str());
    const PgQueryError* error = scanned.result.error;
    if (error == nullptr ||
        !std::string_view(error->message).starts_with("zero-length delimited"))
      return copy;
    const std::size_t at = skip_characters(copy, error->cursorpos - 1);
    const std::size_t name = copy.find(kNothing, at);
    if (name == std::string::npos) return copy;
    copy.replace(name, kNothing.size(), "_0");
  }
}

}  // namespace

void note_comment(Tokens& tokens, std::string_view text, std::uint32_t start,
                  std::string_view comment, std::uint32_t offset) {
  if (!comment.starts_with("--@")) {
    const std::size_t length =
        std::min(comment.find_first_of(":\n"), comment.size());
    if (looks_like_annotation(comment) && length < comment.size() &&
        comment[length] == ':')
      tokens.lookalikes.push_back(
          {start + offset, static_cast<std::uint32_t>(length)});
    return;
  }
  while (comment.ends_with('\r')) comment.remove_suffix(1);
  const auto end = static_cast<std::uint32_t>(start + offset + comment.size());
  if (is_continuation(comment) && !tokens.annotations.empty()) {
    Comment& last = tokens.annotations.back();
    const std::uint32_t gap = last.offset + last.length - offset;
    if (is_next_line(text.substr(gap, start - gap))) {
      last.length = end - last.offset;
      return;
    }
  }
  tokens.annotations.push_back(
      {start + offset, static_cast<std::uint32_t>(comment.size())});
}

Tokens scan(const Source& source, std::string_view text, std::uint32_t offset) {
  if (source.mysql() != nullptr) return scan_mysql(source, text, offset);
  const std::string copy = with_names(text);
  const ScanResult scanned(copy.c_str());
  if (const PgQueryError* error = scanned.result.error) {
    const std::size_t at = offset + skip_characters(text, error->cursorpos - 1);
    // PostgreSQL quotes the rest of the file.
    const std::string_view message = error->message;
    source.fail(source.span(at, 1),
                std::string(message.substr(0, message.find(" at or near"))));
  }
  Tokens tokens;
  if (scanned.tokens == nullptr) return tokens;
  tokens.list.reserve(scanned.tokens->n_tokens);
  NestingCheck nesting(source);
  for (std::size_t i = 0; i < scanned.tokens->n_tokens; ++i) {
    const PgQuery__ScanToken& t = *scanned.tokens->tokens[i];
    const auto start = static_cast<std::uint32_t>(t.start);
    const auto length = static_cast<std::uint32_t>(t.end - t.start);
    const std::string_view piece = text.substr(start, length);
    if (t.token == PG_QUERY__TOKEN__SQL_COMMENT ||
        t.token == PG_QUERY__TOKEN__C_COMMENT) {
      note_comment(tokens, text, start, piece, offset);
      continue;
    }
    if (t.token == PG_QUERY__TOKEN__UIDENT) {
      source.unsupported(source.span(start + offset, 2),
                         "a name with Unicode escapes (U&) is",
                         "write the characters themselves, in UTF-8");
    }
    Token token;
    token.kind = kind_of(t, piece);
    token.is_reserved =
        t.keyword_kind == PG_QUERY__KEYWORD_KIND__RESERVED_KEYWORD;
    token.offset = start + offset;
    token.length = length;
    token.word = word_of(token.kind, piece);
    nesting.see(token);
    tokens.list.push_back(std::move(token));
  }
  return tokens;
}

std::size_t token_at(const std::vector<Token>& tokens, std::uint32_t offset) {
  const auto found = std::lower_bound(
      tokens.begin(), tokens.end(), offset,
      [](const Token& token, std::uint32_t o) { return token.end() <= o; });
  return static_cast<std::size_t>(found - tokens.begin());
}

}  // namespace txscope::sql
