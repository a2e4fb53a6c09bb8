#include "tla/loader.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace txscope::tla {

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

const Module& Loader::load(std::string_view name, const Spot& spot) {
  const auto known = modules_.find(name);
  if (known != modules_.end()) return *known->second;
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
  fail(spot, "module " + std::string(name) + " is not found",
       "put " + std::string(name) +
           ".tla beside the specification or name "
           "its directory with -I");
}

}  // namespace txscope::tla
