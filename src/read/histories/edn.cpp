#include <algorithm>

#include "read/histories/formats.h"
#include "read/histories/jepsen.h"

namespace txscope::read {
namespace {

// A map whose first key is a keyword, perhaps tagged, perhaps the first of a
// vector or list.
Match looks_like_edn(const Sample& sample) {
  if (sample.is_directory) return Match::No;
  std::string_view rest = sample.head;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  bool is_open = false;
  bool has_comment = false;
  for (;;) {
    const auto first = rest.find_first_not_of(" \t\r\n\f,");
    if (first == std::string_view::npos)
      return has_comment ? Match::Possible : Match::No;
    rest.remove_prefix(first);
    if (rest[0] == ';') {
      has_comment = true;
      rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    } else if ((rest[0] == '[' || rest[0] == '(') && !is_open) {
      is_open = true;
      rest.remove_prefix(1);
    } else if (rest[0] == '#') {
      const auto tag_end = rest.find_first_of(" \t\r\n{[(");
      if (tag_end == std::string_view::npos) return Match::No;
      rest.remove_prefix(tag_end);
    } else {
      break;
    }
  }
  if (rest[0] != '{') return Match::No;
  const auto key = rest.find_first_not_of(" \t\r\n\f,", 1);
  return key != std::string_view::npos && rest[key] == ':' ? Match::Sure
                                                           : Match::No;
}

Result<History> read_edn(Opened& opened) {
  return read_jepsen(opened, Notation::Edn);
}

std::unique_ptr<HistorySource> open_edn(Opened opened) {
  return one_history(Format::Edn, std::move(opened), read_edn);
}

}  // namespace

const FormatEntry kEdnFormat{Format::Edn,
                             "edn",
                             "Jepsen and Elle histories (EDN)",
                             {"elle", "jepsen"},
                             {".edn"},
                             looks_like_edn,
                             open_edn};

}  // namespace txscope::read
