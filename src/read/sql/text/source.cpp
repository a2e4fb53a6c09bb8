#include "read/sql/text/source.h"

#include <algorithm>

#include "read/txn/token.h"
#include "read/utf8.h"

namespace txscope::sql {
namespace {

constexpr std::size_t kStep = 256;
constexpr std::size_t kLongestMessage = 300;
constexpr std::size_t kLargest = std::size_t{1} << 30;

bool starts_character(char c) { return !utf8::is_continuation(c); }

}  // namespace

Source::Source(std::string file, std::string_view text,
               std::shared_ptr<SourceMap> map,
               std::shared_ptr<MysqlState> mysql)
    : file_(std::move(file)),
      text_(text),
      map_(std::move(map)),
      lines_{0},
      appended_(std::make_shared<std::deque<Piece>>()),
      mysql_(std::move(mysql)) {
  std::uint32_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % kStep == 0) checkpoints_.push_back(characters);
    if (starts_character(text[i])) ++characters;
    if (text[i] == '\n') lines_.push_back(static_cast<std::uint32_t>(i + 1));
  }
  checkpoints_.push_back(characters);
  if (map_ == nullptr) return;
  files_.reserve(map_->files.size());
  for (const SourceMap::File& each : map_->files)
    files_.emplace_back(each.name, each.text);
}

Source::Source(const Source& other, std::string_view text)
    : Source(other.file_, text, other.map_) {
  appended_ = other.appended_;
  mysql_ = other.mysql_;
}

std::size_t Source::characters_before(std::size_t offset) const {
  std::size_t count = checkpoints_[offset / kStep];
  for (std::size_t i = offset / kStep * kStep; i < offset; ++i) {
    if (starts_character(text_[i])) ++count;
  }
  return count;
}

const Source::Piece* Source::piece_at(std::size_t offset) const {
  if (offset <= text_.size() || appended_->empty()) return nullptr;
  const auto next = std::upper_bound(
      appended_->begin(), appended_->end(), offset,
      [](std::size_t at, const Piece& piece) { return at < piece.offset; });
  return next == appended_->begin() ? nullptr : &*std::prev(next);
}

std::string_view Source::text(Span span) const {
  if (const Piece* piece = piece_at(span.offset)) {
    return std::string_view(piece->text)
        .substr(span.offset - piece->offset, span.length);
  }
  return text_.substr(span.offset, span.length);
}

std::uint32_t Source::append(std::string text, Span at) const {
  Piece piece;
  // One byte before each, so that no text ends where another begins.
  piece.offset = appended_->empty() ? text_.size() + 1
                                    : appended_->back().offset +
                                          appended_->back().text.size() + 1;
  piece.text = std::move(text);
  piece.at = at;
  appended_->push_back(std::move(piece));
  return static_cast<std::uint32_t>(appended_->back().offset);
}

std::string Source::appendix() const {
  std::string all;
  for (const Piece& piece : *appended_) {
    all += "\n" + piece.text;
    if (map_ == nullptr) continue;
    SourceMap::Piece made = map_->piece_at(piece.at.offset);
    made.from = static_cast<std::uint32_t>(piece.offset);
    map_->pieces.push_back(made);
  }
  return all;
}

Span Source::in_file(std::size_t offset, std::size_t length) const {
  const SourceMap::Piece& piece = map_->piece_at(offset);
  const Source& file = files_[piece.file];
  return piece.stands_for > 0
             ? file.span(piece.at, piece.stands_for)
             : file.span(piece.at + offset - piece.from, length);
}

Span Source::span(std::size_t offset, std::size_t length) const {
  if (const Piece* piece = piece_at(offset)) {
    return {piece->at.line, piece->at.column,
            static_cast<std::uint32_t>(offset),
            static_cast<std::uint32_t>(length)};
  }
  offset = std::min(offset, text_.size());
  length = std::min(length, text_.size() - offset);
  if (map_ != nullptr) {
    Span made = in_file(offset, length);
    made.offset = static_cast<std::uint32_t>(offset);
    made.length = static_cast<std::uint32_t>(length);
    return made;
  }
  const auto next = std::upper_bound(lines_.begin(), lines_.end(), offset);
  const std::size_t line = static_cast<std::size_t>(next - lines_.begin());
  const std::size_t column =
      characters_before(offset) - characters_before(lines_[line - 1]) + 1;
  return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column),
          static_cast<std::uint32_t>(offset),
          static_cast<std::uint32_t>(length)};
}

void Source::fail(Span at, std::string what, std::string hint) const {
  if (what.size() > kLongestMessage) {
    what.resize(utf8::without_cut_tail(what.substr(0, kLongestMessage)));
    what += "...";
  }
  if (const Piece* piece = piece_at(at.offset)) at = piece->at;
  if (map_ != nullptr) {
    const Source& file = files_[map_->piece_at(at.offset).file];
    file.fail(in_file(at.offset, at.length), std::move(what), std::move(hint));
  }
  throw Failure{
      txn::error_at(file_, text_, at, std::move(what), std::move(hint)), false};
}

void Source::there_already(Span at, std::string what, std::string hint) const {
  try {
    fail(at, std::move(what), std::move(hint));
  } catch (Failure& failure) {
    failure.is_there_already = true;
    throw;
  }
}

void Source::gap(Span at, std::string what, std::string hint) const {
  try {
    fail(at, std::move(what), std::move(hint));
  } catch (Failure& failure) {
    failure.is_gap = true;
    throw;
  }
}

void Source::unsupported(Span at, std::string_view what,
                         std::string hint) const {
  gap(at, std::string(what) + " not supported", std::move(hint));
}

void Source::unknown_function(Span at, std::string_view name,
                              std::string_view types, std::string hint) const {
  try {
    gap(at,
        "unknown function " + std::string(name) + "(" + std::string(types) +
            ")",
        std::move(hint));
  } catch (Failure& failure) {
    failure.unknown_function = name;
    throw;
  }
}

std::size_t skip_characters(std::string_view text, std::int64_t count) {
  std::size_t offset = 0;
  for (; count > 0 && offset < text.size(); --count) {
    ++offset;
    while (offset < text.size() && !starts_character(text[offset])) ++offset;
  }
  return offset;
}

void check_text(const std::string& file, std::string_view text) {
  const auto refuse = [&](std::size_t offset, const char* what) {
    const Source before(file, text.substr(0, offset));
    before.fail(before.span(offset, 0), what,
                "an application is a text file in UTF-8");
  };
  if (text.size() >= kLargest) {
    throw Failure{{{file, 0, 0, {}}, "the file is larger than 1 GB", "", "", 0},
                  false};
  }
  const bool is_utf16 =
      text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
      (text.size() > 3 && ((text[1] == '\0' && text[3] == '\0') ||
                           (text[0] == '\0' && text[2] == '\0')));
  if (is_utf16) {
    throw Failure{
        {{file, 1, 1, {}},
         "the file is in UTF-16, not in UTF-8",
         "convert it: iconv -f UTF-16 -t UTF-8 " + file + " > utf8.sql",
         "",
         0},
        false};
  }
  const std::size_t nul = text.find('\0');
  const std::size_t valid = utf8::valid_prefix(text);
  if (valid < std::min(nul, text.size())) refuse(valid, "invalid UTF-8");
  if (nul != std::string_view::npos) refuse(nul, "a NUL byte");
}

}  // namespace txscope::sql
