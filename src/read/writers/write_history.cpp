#include "read/writers/write_history.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "read/writers/text_writer.h"

namespace txscope::read {
namespace {

struct WriteEntry {
  WriteFormat format;
  std::string_view name;
  std::array<std::string_view, 3> aliases;
  std::array<std::string_view, 2> extensions;
  bool holds_several;
  Result<std::vector<std::string>> (*write)(const History&, const TextSink&);
};

constexpr std::array<WriteEntry, 3> kWriteFormats = {{
    {WriteFormat::Jsonl, "jsonl", {"txscope"}, {".jsonl"}, true, write_jsonl},
    {WriteFormat::Edn, "edn", {"elle", "jepsen"}, {".edn"}, false, write_edn},
    {WriteFormat::Plume,
     "plume",
     {"polysi", "isovista"},
     {".txt", ".plume"},
     false,
     write_plume},
}};

const WriteEntry& entry_of(WriteFormat format) {
  return *std::find_if(kWriteFormats.begin(), kWriteFormats.end(),
                       [&](const WriteEntry& e) { return e.format == format; });
}

}  // namespace

std::string_view name(WriteFormat format) { return entry_of(format).name; }

bool holds_several(WriteFormat format) {
  return entry_of(format).holds_several;
}

Result<WriteFormat> parse_write_format(std::string_view text) {
  for (const WriteEntry& e : kWriteFormats)
    if (!text.empty() &&
        (e.name == text || std::find(e.aliases.begin(), e.aliases.end(),
                                     text) != e.aliases.end()))
      return e.format;
  return Error{{},
               "histories cannot be written as '" + std::string(text) + "'",
               "formats: jsonl, edn, plume",
               ""};
}

Result<WriteFormat> write_format_of(const std::string& path) {
  const std::string extension =
      std::filesystem::path(path).extension().string();
  for (const WriteEntry& e : kWriteFormats)
    if (!extension.empty() &&
        std::find(e.extensions.begin(), e.extensions.end(), extension) !=
            e.extensions.end())
      return e.format;
  return Error{Place{path, 0, 0, {}},
               "the extension does not say which format to write",
               ".jsonl, .edn or .txt (Plume); or name one with --to", ""};
}

Result<std::vector<std::string>> write_history(const History& history,
                                               WriteFormat format,
                                               const TextSink& sink) {
  return entry_of(format).write(history, sink);
}

void write_quoted(TextWriter& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out << '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out << '\\' << c;
    else if (c == '\n')
      out << "\\n";
    else if (c == '\t')
      out << "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      out << "\\u00" << kHex[byte >> 4] << kHex[byte & 15];
    else
      out << c;
  }
  out << '"';
}

Error cannot_write(const History& history, std::string what, std::string hint) {
  return Error{Place{history.files().front(), 0, 0, {}}, std::move(what),
               std::move(hint), ""};
}

SessionNumbers::SessionNumbers(const History& history) {
  const auto is_number = [](const Session& s) {
    return s.name.is_small_int() && s.name.small_int() >= 0;
  };
  const auto sessions = history.sessions();
  are_new_ = !std::all_of(sessions.begin(), sessions.end(), is_number);
  for (std::size_t s = 0; s < sessions.size(); ++s)
    numbers_.push_back(
        are_new_ ? s
                 : static_cast<std::uint64_t>(sessions[s].name.small_int()));
}

}  // namespace txscope::read
