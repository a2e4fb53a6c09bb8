#include "read/file_kind.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "read/input.h"

namespace txscope::read {
namespace {

struct Words {
  std::string_view name;
  std::string_view wish;  ///< what can be done with it
  std::string_view verb;
};

const Words& words_of(FileKind kind) {
  static constexpr std::array<Words, 4> kWords = {{
      {"a history", "judge it", "check"},
      {"a log", "judge it", "audit"},
      {"a program", "run it", "explore"},
      {"a specification", "check it", "model"},
  }};
  return kWords[static_cast<std::size_t>(kind)];
}

/// Code of an application, which no verb reads.
bool is_source_code(const std::string& path) {
  static constexpr std::array<std::string_view, 14> kCode = {
      ".py", ".java", ".js", ".ts", ".go",  ".rb",  ".php",
      ".rs", ".cs",   ".kt", ".c",  ".cpp", ".clj", ".ex"};
  const std::string extension =
      std::filesystem::path(path).extension().string();
  return std::find(kCode.begin(), kCode.end(), extension) != kCode.end();
}

}  // namespace

bool says_it_is(std::string_view head, std::string_view sort) {
  const std::size_t end = std::min(head.find('\n'), head.size());
  const std::string_view line = head.substr(0, std::min<std::size_t>(end, 400));
  const std::size_t at = line.find("\"txscope\"");
  if (at == line.npos) return false;
  const std::size_t found = line.find("\"" + std::string(sort) + "\"", at);
  return found != line.npos && found < at + 16;
}

std::optional<FileKind> file_kind(const std::string& path,
                                  std::string_view head) {
  const std::string extension =
      std::filesystem::path(path).extension().string();
  if (extension == ".sql" || extension == ".txn") return FileKind::Program;
  if (extension == ".tla" || extension == ".cfg")
    return FileKind::Specification;
  if (says_it_is(head, "log")) return FileKind::Log;
  if (says_it_is(head, "history")) return FileKind::History;
  if (extension == ".jsonl" || extension == ".edn") return FileKind::History;
  // Nothing else begins so.
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin != head.npos && head[begin] == '{') return FileKind::History;
  return std::nullopt;
}

std::optional<Error> misplaced(const std::string& path, std::string_view head,
                               FileKind wanted) {
  if (is_source_code(path))
    return Error{
        Place{path, 0, 0, {}},
        "is code of an application, which txscope does not read",
        "record what it asks of its database (txscope record --proxy), "
        "or write its transactions in SQL and explore them",
        ""};
  const auto kind = file_kind(path, head);
  if (!kind || *kind == wanted) return std::nullopt;
  // A log whose first line is not right is still to be read as one.
  if (wanted == FileKind::Log && *kind == FileKind::History &&
      !says_it_is(head, "history") && !path.ends_with(".edn"))
    return std::nullopt;
  const Words& is = words_of(*kind);
  return Error{
      Place{path, 0, 0, {}},
      "is " + std::string(is.name) + ", not " +
          std::string(words_of(wanted).name),
      std::string(is.wish) + ": txscope " + std::string(is.verb) + " " + path,
      ""};
}

std::optional<Error> misplaced(const std::string& path, FileKind wanted) {
  if (path == "-" || !std::filesystem::is_regular_file(path))
    return std::nullopt;
  auto input = Input::open(path);
  if (!input) return std::nullopt;
  return misplaced(path, input->head(), wanted);
}

}  // namespace txscope::read
