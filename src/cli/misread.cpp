#include "cli/misread.h"

#include <algorithm>
#include <array>

#include "cli/diagnostics.h"
#include "report/page/wrap.h"

namespace txscope::cli {
namespace {

struct TlcFlag {
  std::string_view name;
  std::string_view ours;
};

/// The flags of TLC that people type from memory, and what is ours instead.
constexpr auto kTlcFlags = std::to_array<TlcFlag>({
    {"-workers", "write --jobs N"},
    {"-deadlock", "write --no-deadlock"},
    {"-config", "write --config FILE"},
    {"-simulate", "write --simulate N, the number of behaviours"},
    {"-depth", "write --depth N"},
    {"-seed", "write --seed N"},
    {"-coverage", "write --coverage"},
    {"-dump", "write --dump FILE, a .dot or a .json"},
    {"-dumpTrace", "write --trace FILE.json"},
    {"-dumptrace", "write --trace FILE.json"},
    {"-checkpoint", "write --checkpoint FILE; it is written at the end"},
    {"-recover", "write --resume FILE"},
    {"-difftrace",
     "a trace shows what changes; --all-values shows every variable"},
    {"-continue", "a search ends at the first violation"},
    {"-lncheck", "temporal properties are checked at the end"},
    {"-dfid", "the search is breadth-first; --depth N ends it"},
    {"-view", "VIEW of the configuration is used"},
    {"-metadir", "leave it out: nothing is written beside the specification"},
    {"-cleanup", "leave it out: nothing is written beside the specification"},
    {"-fpmem", "leave it out: memory is taken as it is needed"},
    {"-fp", "leave it out: there is one kind of fingerprint"},
    {"-gzip", "leave it out"},
    {"-nowarning", "leave it out"},
    {"-terse", "leave it out"},
    {"-tool", "write --format json for programs"},
    {"-debug", "leave it out"},
    {"-aril", "write --seed N"},
    {"-userFile", "write -o FILE"},
    {"-generateSpecTE", "write --trace FILE.json"},
    {"-noGenerateSpecTE", "leave it out"},
});

std::optional<Error> tlc_flag(std::span<const char* const> words) {
  for (const std::string_view word : words)
    for (const TlcFlag& flag : kTlcFlags)
      if (word == flag.name)
        return wrong_call("'" + std::string(word) + "' is an option of TLC",
                          std::string(flag.ours));
  return std::nullopt;
}

bool has_verb(std::string_view name) {
  return std::any_of(verb_table().begin(), verb_table().end(),
                     [&](const Verb& verb) { return verb.name == name; });
}

std::string for_several(const Verb& verb) {
  if (verb.name != "explore" && verb.name != "verify" && verb.name != "robust")
    return "run it once for each";
  std::string hint =
      "write a file with a line \\ir NAME for each of them (as in psql)";
  if (has_verb("analyze")) hint += ", or use 'txscope analyze'";
  return hint;
}

}  // namespace

std::optional<Error> misread(const Verb& verb,
                             std::span<const char* const> words,
                             const std::vector<std::string>& unexpected) {
  if (verb.name == "model")
    if (auto flag = tlc_flag(words)) return flag;
  if (unexpected.empty()) return std::nullopt;
  const auto is_option = [](const std::string& word) {
    return word.starts_with('-') && word != "-";
  };
  const bool takes_one =
      verb.input == "FILE" || verb.input == "LOG" || verb.input == "SPEC";
  if (takes_one &&
      std::none_of(unexpected.begin(), unexpected.end(), is_option))
    return wrong_call("'" + std::string(verb.name) + "' reads one file, and '" +
                          unexpected.front() + "' is another",
                      for_several(verb));
  return wrong_call(
      (unexpected.size() == 1 ? "this argument was not expected: "
                              : "these arguments were not expected: ") +
          report::joined(unexpected, " "),
      "see 'txscope " + std::string(verb.name) + " --help'");
}

}  // namespace txscope::cli
