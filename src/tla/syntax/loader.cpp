#include "tla/syntax/loader.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/random.h"
#include "base/suggest.h"
#include "tla/code/builtins.h"

namespace txscope::tla {
namespace {

bool is_all(std::string_view text, char c) {
  return text.find_first_not_of(c) == std::string_view::npos;
}

/// `Name` of a line `---- MODULE Name ----`; empty if it is none.
std::string_view module_begun(std::string_view line) {
  const std::size_t word = line.find("MODULE");
  if (word == std::string_view::npos || word < 4) return {};
  const auto trimmed = [](std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t\r");
    if (from == std::string_view::npos) return std::string_view();
    return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
  };
  const std::string_view before = trimmed(line.substr(0, word));
  if (before.size() < 4 || !is_all(before, '-')) return {};
  const std::string_view rest = trimmed(line.substr(word + 6));
  const std::size_t end = rest.find_first_of(" \t-");
  const std::string_view after = end == std::string_view::npos
                                     ? std::string_view()
                                     : trimmed(rest.substr(end));
  return after.size() >= 4 && is_all(after, '-') ? rest.substr(0, end)
                                                 : std::string_view();
}

/// A file may hold several modules, one after the other: the text of the one
/// called `name`, after as many empty lines as come before it.
std::optional<std::string> later_module(std::string_view text,
                                        std::string_view name) {
  int depth = 0;
  std::size_t modules = 0;
  std::string blank;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (const auto found = module_begun(line); !found.empty()) {
      if (depth++ == 0 && modules++ > 0 && found == name)
        return blank + std::string(text.substr(at));
    } else if (line.starts_with("====") && depth > 0) {
      --depth;
    }
    blank += '\n';
    at = end + 1;
  }
  return std::nullopt;
}

/// "did you mean ...?" if a standard module or one beside the specification is
/// nearly so called.
std::string near_file(std::string_view name,
                      const std::vector<std::string>& directories) {
  std::vector<std::string> names;
  for (const Builtin& builtin : all_builtins())
    names.emplace_back(builtin.module);
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(directory, error))
      if (entry.path().extension() == ".tla")
        names.push_back(entry.path().stem().string());
  }
  return suggestion(name, names);
}

}  // namespace

const Source& Loader::read(const std::string& path) {
  std::error_code error;
  auto source = std::make_unique<Source>();
  source->file = path;
  const Spot whole{source.get(), 0, 0};
  if (std::filesystem::is_directory(path, error))
    fail(whole, "this is a directory", "name a .tla file");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(whole, "this file cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  source->text = std::move(text).str();
  if (source->text.find('\0') != std::string::npos)
    fail(whole, "this is a binary file", "a TLA+ module is text");
  sources_.push_back(std::move(source));
  return *sources_.back();
}

const Module& Loader::keep(std::string name, std::unique_ptr<Module> module) {
  auto& entry = modules_[std::move(name)];
  entry = std::move(module);
  return *entry;
}

const Module& Loader::load_file(const std::string& path) {
  const Source& source = read(path);
  auto module = parse_module(source);
  std::string name = module->name;
  return keep(std::move(name), std::move(module));
}

const Module& Loader::load_text(std::string file, std::string text) {
  auto source = std::make_unique<Source>();
  source->file = std::move(file);
  source->text = std::move(text);
  sources_.push_back(std::move(source));
  auto module = parse_module(*sources_.back());
  std::string name = module->name;
  return keep(std::move(name), std::move(module));
}

const Source* Loader::find_source(std::string_view file) const {
  for (const auto& source : sources_)
    if (source->file == file) return source.get();
  return nullptr;
}

std::uint64_t Loader::fingerprint() const {
  std::uint64_t h = 0;
  for (const auto& source : sources_)
    for (const char c : source->text)
      h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return scramble(h);
}

const Module& Loader::load(std::string_view name, const Spot& spot) {
  const auto known = modules_.find(name);
  if (known != modules_.end()) return *known->second;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i]->is_ours) continue;
    auto text = later_module(sources_[i]->text, name);
    if (!text) continue;
    auto source = std::make_unique<Source>();
    source->file = sources_[i]->file;
    source->text = std::move(*text);
    sources_.push_back(std::move(source));
    return keep(std::string(name), parse_module(*sources_.back()));
  }
  for (const std::string& directory : directories_) {
    const auto path =
        std::filesystem::path(directory) / (std::string(name) + ".tla");
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    const Source& source = read(path.string());
    // A copy of one of our modules, for TLC's sake, is still ours.
    const char* ours = builtin_module_text(name);
    if (ours != nullptr && source.text == ours) sources_.back()->is_ours = true;
    auto module = parse_module(source);
    if (module->name != name)
      fail(module->spot, "this file holds module " + module->name + ", not " +
                             std::string(name));
    return keep(std::string(name), std::move(module));
  }
  if (const char* text = builtin_module_text(name)) {
    auto source = std::make_unique<Source>();
    source->file = std::string(name) + ".tla";
    source->text = text;
    source->is_ours = true;
    sources_.push_back(std::move(source));
    return keep(std::string(name), parse_module(*sources_.back()));
  }
  std::string hint = near_file(name, directories_);
  if (hint.empty())
    hint = "put " + std::string(name) +
           ".tla beside the specification or name its directory with -I";
  fail(spot, "module " + std::string(name) + " is not found", std::move(hint));
}

}  // namespace txscope::tla
