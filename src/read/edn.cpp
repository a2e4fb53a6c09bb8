#include "read/edn_reader.h"
#include "read/formats.h"
#include "read/jepsen.h"

namespace txscope {
namespace {

// A map whose first key is a keyword, perhaps tagged, perhaps the first of a
// vector or list.
Match looks_like_edn(const Sample& sample) {
  if (sample.is_directory) return Match::No;
  std::string_view rest = sample.head;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  bool is_open = false;
  for (;;) {
    const auto first = rest.find_first_not_of(" \t\r\n\f,");
    if (first == std::string_view::npos) return Match::No;
    rest.remove_prefix(first);
    if (rest[0] == ';') {
      const auto line_end = rest.find('\n');
      if (line_end == std::string_view::npos) return Match::Possible;
      rest.remove_prefix(line_end);
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
  Input& input = *opened.input;
  input.expect_text();
  EdnReader reader(input);
  JepsenHistory history(input.name(), opened.options.judge_aborted);
  for (;;) {
    auto has_event = reader.next_element();
    if (!has_event) return std::move(has_event).error();
    if (!*has_event) break;
    auto event = to_event(reader.form().root(), reader.line(), reader);
    if (!event) return std::move(event).error();
    auto done = history.add(*event, reader);
    if (!done) return std::move(done).error();
  }
  return std::move(history).finish();
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

}  // namespace txscope
