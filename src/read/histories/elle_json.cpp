#include "read/histories/formats.h"
#include "read/histories/jepsen.h"

namespace txscope::read {
namespace {

// True if `text` goes on with this, blanks aside; if so it is cut off.
bool goes_on_with(std::string_view& text, std::string_view expected) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (!text.substr(first).starts_with(expected)) return false;
  text.remove_prefix(first + expected.size());
  return true;
}

// An object, or an array of objects, with a member "type" that Jepsen knows.
Match looks_like_elle_json(const Sample& sample) {
  if (sample.is_directory) return Match::No;
  std::string_view rest = sample.head;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  const bool is_array = goes_on_with(rest, "[");
  if (is_array && goes_on_with(rest, "]")) return Match::Possible;
  if (!goes_on_with(rest, "{")) return Match::No;
  constexpr std::string_view kType = "\"type\"";
  for (auto at = rest.find(kType); at != std::string_view::npos;
       at = rest.find(kType, at + 1)) {
    std::string_view after = rest.substr(at + kType.size());
    if (!goes_on_with(after, ":")) continue;
    for (const char* type : {"\"invoke\"", "\"ok\"", "\"fail\"", "\"info\""})
      if (goes_on_with(after, type)) return Match::Sure;
  }
  return Match::No;
}

Result<History> read_elle_json(Opened& opened) {
  return read_jepsen(opened, Notation::Json);
}

std::unique_ptr<HistorySource> open_elle_json(Opened opened) {
  return one_history(Format::ElleJson, std::move(opened), read_elle_json);
}

}  // namespace

const FormatEntry kElleJsonFormat{
    Format::ElleJson, "elle-json",          "elle-cli's JSON", {},
    {".json"},        looks_like_elle_json, open_elle_json};

}  // namespace txscope::read
