#include "tla/pluscal/splice.h"

#include <algorithm>
#include <array>

namespace txscope::tla::pluscal {
namespace {

constexpr std::string_view kBegin = "\\* BEGIN TRANSLATION";

/// CRC-32 of ISO 3309, as java.util.zip.CRC32 and zlib compute it.
std::uint32_t crc32(std::string_view text) {
  std::uint32_t crc = ~0u;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1u) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

std::string hexadecimal(std::uint32_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), digits[number & 15u]);
  while ((number >>= 4u) != 0);
  return text;
}

/// Lines without what ends them.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// As the Toolbox does: over all lines, without their ends.
std::string checksum(const std::vector<std::string_view>& lines) {
  std::string all;
  for (const std::string_view line : lines) all += line;
  return hexadecimal(crc32(all));
}

bool is_inside(const PlusCal& pluscal, std::uint32_t line) {
  return pluscal.translation_begin != 0 && line > pluscal.translation_begin &&
         (pluscal.translation_end == 0 || line < pluscal.translation_end);
}

bool defines(const Module& module, std::string_view name) {
  return std::any_of(module.units.begin(), module.units.end(),
                     [&](const Unit& unit) {
                       return unit.op != nullptr && unit.op->name == name;
                     });
}

bool has_translation(const Module& module) {
  return std::any_of(module.units.begin(), module.units.end(),
                     [&](const Unit& unit) {
                       return unit.op != nullptr &&
                              is_inside(module.pluscal, unit.op->spot.line);
                     });
}

/// Where the comment of the algorithm ends, in bytes.
std::size_t comment_end(const Module& module) {
  const PlusCal& pluscal = module.pluscal;
  return static_cast<std::size_t>(pluscal.text.data() -
                                  module.source->text.data()) +
         pluscal.text.size();
}

Translation translation_of(const Module& module) {
  return translate(*module.source, *algorithm_begin(module));
}

/// The part of the translation's text that is in the file; null if none is.
std::optional<std::vector<std::string_view>> lines_in_file(
    const Module& module) {
  const PlusCal& pluscal = module.pluscal;
  if (pluscal.translation_begin == 0 || pluscal.translation_end == 0)
    return std::nullopt;
  auto lines = lines_of(module.source->text);
  if (pluscal.translation_end > lines.size() ||
      pluscal.translation_begin >= pluscal.translation_end)
    return std::nullopt;
  return std::vector<std::string_view>(
      lines.begin() + pluscal.translation_begin,
      lines.begin() + pluscal.translation_end - 1);
}

/// `hex` of `chksum(what) = "hex"`.
std::optional<std::string> checksum_in(std::string_view line,
                                       std::string_view what) {
  const std::size_t at = line.find("chksum(" + std::string(what) + ")");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t open = line.find('"', at);
  const std::size_t close = line.find('"', open + 1);
  const std::size_t other = line.find("chksum", at + 1);
  if (close == std::string_view::npos || open > other) return std::nullopt;
  return std::string(line.substr(open + 1, close - open - 1));
}

/// What two translations are compared by.  Bullets after a colon depend on how
/// many lines follow.
std::vector<Token> compared(const std::vector<Token>& tokens) {
  std::vector<Token> kept;
  for (const Token& token : tokens) {
    const bool is_bullet = token.text == "/\\" || token.text == "\\/";
    if (is_bullet && !kept.empty() && kept.back().text == ":") continue;
    if (token.kind != TokenKind::End) kept.push_back(token);
  }
  return kept;
}

}  // namespace

std::optional<std::size_t> algorithm_begin(const Module& module) {
  const std::string_view text = module.pluscal.text;
  for (std::size_t at = text.find("--"); at != std::string_view::npos;
       at = text.find("--", at + 1)) {
    std::size_t i = at + 2;
    const auto skip = [&](std::string_view word) {
      if (text.compare(i, word.size(), word) != 0) return false;
      i += word.size();
      const std::size_t end = text.find_first_not_of(" \t\r\n", i);
      if (end == std::string_view::npos || end == i) return false;
      i = end;
      return true;
    };
    (void)skip("fair");
    if (skip("algorithm") && is_word(text[i]))
      return static_cast<std::size_t>(text.data() + at -
                                      module.source->text.data());
  }
  return std::nullopt;
}

bool lacks_translation(const Module& module) {
  // Before the module begins there is no place for one.
  if (module.pluscal.is_outside && module.pluscal.translation_begin == 0)
    return false;
  return !module.pluscal.text.empty() && algorithm_begin(module) &&
         !has_translation(module) && !defines(module, "Init") &&
         !defines(module, "Next") && !defines(module, "Spec");
}

TranslatedTokens with_translation(const Module& module, Tokens tokens) {
  TranslatedTokens result;
  Translation translation = translation_of(module);
  result.translation = std::make_unique<Source>();
  result.translation->file = module.source->file;
  result.translation->text = std::move(translation.text);
  Tokens added = tokenize_fragment(*result.translation);
  added.all.pop_back();  // End
  auto mark = translation.marks.begin();
  Spot spot = module.pluscal.algorithm;
  for (Token& token : added.all) {
    for (; mark != translation.marks.end() &&
           std::pair(mark->line, mark->column) <=
               std::pair(token.spot.line, token.spot.column);
         ++mark)
      if (mark->spot.source != nullptr) spot = mark->spot;
    token.spot = spot;
  }
  const std::size_t after = comment_end(module);
  const std::uint32_t line = module.pluscal.translation_begin;
  const auto place = std::find_if(
      tokens.all.begin(), tokens.all.end(), [&](const Token& token) {
        return line != 0 ? token.spot.line > line : token.offset >= after;
      });
  tokens.all.insert(place, added.all.begin(), added.all.end());
  result.tokens = std::move(tokens);
  return result;
}

std::string text_with_translation(const Module& module) {
  if (!algorithm_begin(module))
    fail(module.spot, "module " + module.name + " has no PlusCal algorithm",
         "one begins with --algorithm in a comment");
  const PlusCal& pluscal = module.pluscal;
  const std::string& text = module.source->text;
  const Translation translation = translation_of(module);
  const std::string block = std::string(kBegin) +
                            " (chksum(pcal) \\in STRING /\\ chksum(tla) = \"" +
                            checksum(lines_of(translation.text)) + "\")\n" +
                            translation.text + "\\* END TRANSLATION ";
  const auto offset_of = [&](std::uint32_t line) {
    std::size_t at = 0;
    for (std::uint32_t n = 1; n < line; ++n) at = text.find('\n', at) + 1;
    return at;
  };
  const auto end_of_line = [&](std::size_t at) {
    return std::min(text.find('\n', at), text.size());
  };
  if (pluscal.is_outside && pluscal.translation_begin == 0)
    fail(pluscal.algorithm, "there is no place for the translation",
         "add the lines \\* BEGIN TRANSLATION and \\* END TRANSLATION");
  if (pluscal.translation_begin == 0) {
    const std::size_t at = end_of_line(comment_end(module));
    return text.substr(0, at) + "\n" + block + text.substr(at);
  }
  if (pluscal.translation_end < pluscal.translation_begin)
    fail({module.source, pluscal.translation_begin, 1},
         "this translation has no end",
         "add a line \\* END TRANSLATION, or delete this one");
  return text.substr(0, offset_of(pluscal.translation_begin)) + block +
         text.substr(end_of_line(offset_of(pluscal.translation_end)));
}

std::string staleness(const Module& module) {
  const auto lines = lines_in_file(module);
  if (!lines || !has_translation(module) || !algorithm_begin(module)) return {};
  const std::string head =
      line_of(*module.source, module.pluscal.translation_begin);
  if (head.find("chksum") == std::string::npos) return {};
  const std::string which =
      "the translation of the PlusCal algorithm of " + module.name + " is ";
  if (const auto sum = checksum_in(head, "tla");
      sum && *sum != checksum(*lines))
    return which + "not what was translated: it was changed by hand";
  Translation now;
  try {
    now = translation_of(module);
  } catch (const Fault& fault) {
    return which + "stale: the algorithm cannot be translated (line " +
           std::to_string(fault.error.where.line) + ": " + fault.error.what +
           ")";
  }
  Source fresh;
  fresh.text = std::move(now.text);
  const std::vector<Token> ours = compared(tokenize_fragment(fresh).all);
  std::vector<Token> theirs;
  for (const Token& token : tokenize(*module.source).all)
    if (is_inside(module.pluscal, token.spot.line)) theirs.push_back(token);
  theirs = compared(theirs);
  std::string_view definition = "declaration of variables";
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Token& token = ours[i];
    if (token.spot.column == 1 && token.kind == TokenKind::Identifier)
      definition = token.text;
    if (i < theirs.size() && theirs[i].text == token.text) continue;
    return which + "stale: the algorithm's " + std::string(definition) +
           " differs; translate it anew (--translate)";
  }
  return theirs.size() > ours.size()
             ? which +
                   "stale: it has more than the algorithm; translate it "
                   "anew (--translate)"
             : std::string();
}

}  // namespace txscope::tla::pluscal
