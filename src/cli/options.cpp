#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/suggest.h"
#include "cli/colour.h"
#include "cli/diagnostics.h"
#include "cli/misread.h"
#include "cli/pages/version.h"
#include "report/page/wrap.h"
#include "txscope/status.h"

namespace txscope::cli {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

/// "7", "0.5": as people write it.
std::string number_text(double number) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(
      text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return {text.data(), end};
}

template <class Number>
void read_number(const OptionRow& row, const std::string& text,
                 Number& target) {
  const std::string name(row.name);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, target);
  const bool is_large = error == std::errc::result_out_of_range;
  if ((error != std::errc() && !is_large) || rest != end)
    throw CLI::ConversionError(name + ": '" + text + "' is not a number");
  const auto number = static_cast<double>(target);
  const Range& range = row.range;
  // Not a number is in no range.
  if (!is_large && number >= range.least && number <= range.most) return;
  std::string bounds;
  if (range.most < std::numeric_limits<double>::infinity())
    bounds = ": it is " + number_text(range.least) + " to " +
             number_text(range.most);
  throw CLI::ConversionError(name + ": " + text + " is out of range" + bounds);
}

void add_option(CLI::App& app, const OptionRow& row, Options& options) {
  const std::string name(row.name);
  const std::string help(row.help);
  std::visit(
      [&](auto member) {
        auto& target = options.*member;
        using Target = std::remove_reference_t<decltype(target)>;
        if constexpr (std::is_same_v<Target, bool>) {
          app.add_flag(name, target, help);
        } else if constexpr (std::is_arithmetic_v<Target>) {
          const auto read = [&target, &row](const std::string& text) {
            read_number(row, text, target);
          };
          app.add_option_function<std::string>(name, read, help)
              ->option_text(std::string(row.argument));
        } else {
          CLI::Option* option = app.add_option(name, target, help);
          option->option_text(std::string(row.argument));
          if constexpr (std::is_same_v<Target, std::vector<std::string>>)
            option->allow_extra_args(false);  // one each time it is named
        }
      },
      row.field);
}

void add_input(CLI::App& app, const Verb& verb, Options& options) {
  const bool is_optional = verb.input.front() == '[';
  const bool takes_directory =
      verb.name == "check" || verb.name == "convert" || verb.name == "analyze";
  const std::string help = verb.input == "[CASE]" ? "a case.json"
                           : verb.input == "[FILE..]"
                               ? "files or directories to read; - is standard "
                                 "input"
                           : is_optional          ? "what to look up"
                           : verb.input == "SPEC" ? "the module to read"
                           : takes_directory
                               ? "the file or directory to read; - is standard "
                                 "input"
                               : "the file to read; - is standard input";
  const bool has_many = verb.input.find("..") != std::string_view::npos;
  CLI::Option* input = has_many ? app.add_option("INPUT", options.inputs, help)
                                : app.add_option("INPUT", options.input, help);
  input->option_text(std::string(verb.input));
  if (!is_optional) input->required();
}

// "--format json -o a.json --format text" is two outputs: a file belongs to
// the format before it.
std::vector<Output> pair_outputs(const CLI::App& app, const CLI::Option* format,
                                 const CLI::Option* file) {
  std::vector<Output> outputs;
  std::size_t formats = 0;
  std::size_t files = 0;
  for (const CLI::Option* seen : app.parse_order()) {
    if (seen == format) {
      outputs.push_back({format->results()[formats++], ""});
    } else if (seen == file) {
      const std::string name = file->results()[files++];
      if (outputs.empty() || !outputs.back().file.empty())
        outputs.push_back({"", name});
      else
        outputs.back().file = name;
    }
  }
  if (outputs.empty()) outputs.push_back({"", ""});
  return outputs;
}

std::string help_of(const Verb& verb, const CLI::App& app) {
  return app.help() + "\nExample:\n  " + std::string(verb.example) + "\n";
}

std::string general_help() {
  std::string text =
      "txscope sees through database transactions.\n\n"
      "Usage: txscope VERB [INPUT] [options]\n\nVerbs:\n";
  for (const Verb& verb : verb_table()) {
    std::string name(verb.name);
    name.resize(12, ' ');
    text += "  " + name + std::string(verb.summary) + "\n";
  }
  text +=
      "\n`txscope VERB --help` lists the options of a verb, with an example.\n"
      "Exit status: 0 if everything holds, 1 if something is violated, 2 if "
      "the\n"
      "input or the call is wrong, 3 if undecided or nothing was checked.\n";
  return text;
}

Result<Done> check_formats(const Verb& verb, std::vector<Output>& outputs) {
  for (Output& output : outputs) {
    if (output.format.empty()) output.format = "text";
    if (verb.formats.empty() || has_word(verb.formats, output.format)) continue;
    return wrong_call("'" + std::string(verb.name) + "' has no format '" +
                          output.format + "'",
                      "its formats are: " + std::string(verb.formats));
  }
  return Done{};
}

// The option that an unknown one was probably meant to be.
std::string option_suggestion(const Verb& verb,
                              std::span<const char* const> words) {
  std::vector<std::string> names = {"--format", "--output", "--color",
                                    "--help"};
  for (const OptionRow& row : option_table()) {
    if (!has_word(row.verbs, verb.name)) continue;
    const std::size_t comma = row.name.find(',');
    names.emplace_back(
        row.name.substr(comma == std::string_view::npos ? 0 : comma + 1));
  }
  for (const std::string_view word : words) {
    if (!word.starts_with("--")) continue;
    const std::string name(word.substr(0, word.find('=')));
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return suggestion(name, names);
  }
  return "";
}

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code failed;
  const bool are_regular = std::filesystem::is_regular_file(a, failed);
  return are_regular ? std::filesystem::equivalent(a, b, failed)
                     : a == b && !std::filesystem::exists(a, failed);
}

// A file that is there, somewhere below a directory.
bool is_below(const std::string& file, const std::string& directory) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed) ||
      !std::filesystem::is_directory(directory, failed))
    return false;
  for (std::filesystem::path up = std::filesystem::canonical(file, failed);
       !failed && up.has_relative_path(); up = up.parent_path())
    if (std::filesystem::equivalent(up, directory, failed)) return true;
  return false;
}

// Nothing that is read is overwritten, and nothing is written twice.
Result<Done> check_files(const Options& options) {
  std::vector<std::string> written;
  for (const Output& output : options.outputs) written.push_back(output.file);
  written.insert(written.end(), {options.histories, options.dump,
                                 options.tlc_trace, options.checkpoint});
  std::vector<std::string> reads = options.inputs;
  reads.insert(reads.end(), {options.input, options.config, options.workload,
                             options.baseline});
  // A specification's configuration is read from beside it.
  if (const std::filesystem::path spec = options.input;
      spec.extension() == ".tla" && options.config.empty())
    reads.push_back(std::filesystem::path(spec).replace_extension(".cfg"));
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (const std::string& read : reads)
      if (is_same_file(written[i], read) || is_below(written[i], read))
        return wrong_call("'" + written[i] + "' is " +
                              (is_below(written[i], read) ? "in " : "") +
                              "the input, and would be overwritten",
                          "choose another file for the output");
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_file(written[i], written[j]))
        return wrong_call("'" + written[i] + "' would be written twice",
                          "choose a file for each output");
  }
  return Done{};
}

// `--config ""` is no configuration, and none is not what was asked for.
Result<Done> check_given(const CLI::App& app) {
  for (const CLI::Option* option : app.parse_order())
    for (const std::string& value : option->results())
      if (value.empty())
        return wrong_call(option->get_name() + " is empty",
                          "give it a value, or leave it out");
  return Done{};
}

Result<Done> choose_colours(const std::string& when) {
  if (when == "auto")
    set_colour_use(ColourUse::Auto);
  else if (when == "always")
    set_colour_use(ColourUse::Always);
  else if (when == "never")
    set_colour_use(ColourUse::Never);
  else
    return wrong_call("--color: there is no '" + when + "'",
                      "auto, always or never");
  return Done{};
}

/// As a shell takes it.
std::string shell_word(std::string_view word) {
  const bool is_plain =
      !word.empty() &&
      std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || std::strchr("-_./:,=+@%", c) != nullptr;
      });
  if (is_plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

Result<Call> parse_verb(const Verb& verb, std::span<const char* const> rest) {
  Call call;
  call.verb = &verb;
  CLI::App app(std::string(verb.summary), "txscope " + std::string(verb.name));
  if (!verb.input.empty()) add_input(app, verb, call.options);
  std::vector<std::string> formats;
  std::vector<std::string> files;
  CLI::Option* format = nullptr;
  if (!verb.formats.empty()) {
    std::string help(verb.formats);
    std::replace(help.begin(), help.end(), ' ', '|');
    format = app.add_option("--format", formats, "format of the report");
    format->option_text(help)->expected(1)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  }
  CLI::Option* file = app.add_option(
      "-o,--output", files, "write to this file instead of standard output");
  file->option_text("FILE")->expected(1)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
  for (const OptionRow& row : option_table())
    if (has_word(row.verbs, verb.name)) add_option(app, row, call.options);
  app.add_option("--color,--colour", call.options.colour,
                 "colours: auto (on a terminal, the default), always or never")
      ->option_text("WHEN");

  std::vector<std::string> words(rest.rbegin(), rest.rend());
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    call.verb = nullptr;
    call.text = help_of(verb, app);
    return call;
  } catch (const CLI::ParseError& error) {
    const std::string meant = option_suggestion(verb, rest);
    const bool is_extra =
        dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    const auto unexpected =
        is_extra ? app.remaining() : std::vector<std::string>();
    if (auto better = misread(verb, rest, unexpected)) {
      if (!meant.empty()) better->hint = meant;
      return *std::move(better);
    }
    const std::string help =
        "see 'txscope " + std::string(verb.name) + " --help'";
    return wrong_call(error.what(), meant.empty() ? help : meant);
  }
  if (auto ok = check_given(app); !ok) return ok.error();
  if (verb.input == "[NAME..]")  // the words of one name
    call.options.inputs = {report::joined(call.options.inputs, " ")};
  if (!call.options.inputs.empty())
    call.options.input = call.options.inputs.front();
  call.options.outputs = pair_outputs(app, format, file);
  if (auto ok = check_formats(verb, call.options.outputs); !ok)
    return ok.error();
  if (auto ok = check_files(call.options); !ok) return ok.error();
  if (auto ok = choose_colours(call.options.colour); !ok) return ok.error();
  call.options.command = "txscope " + std::string(verb.name);
  for (const char* word : rest) call.options.command += " " + shell_word(word);
  if (auto ok = verb::parse_fail_on(call.options.fail_on); !ok)
    return ok.error();
  return call;
}

}  // namespace

Result<Call> parse_call(std::span<const char* const> arguments) {
  Call told;
  if (arguments.empty())
    return wrong_call("a verb is missing", "see 'txscope --help'");
  const std::string_view first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    told.text = general_help();
    return told;
  }
  if (first == "--version") {
    told.text = version_text();
    return told;
  }
  for (const Verb& verb : verb_table())
    if (verb.name == first) return parse_verb(verb, arguments.subspan(1));
  std::string verbs = "verbs:";
  for (const Verb& verb : verb_table()) verbs += " " + std::string(verb.name);
  std::vector<std::string> names;
  names.reserve(verb_table().size());
  for (const Verb& verb : verb_table()) names.emplace_back(verb.name);
  const std::string meant = suggestion(first, names);
  return wrong_call("there is no verb '" + std::string(first) + "'",
                    meant.empty() ? verbs : meant);
}

}  // namespace txscope::cli
