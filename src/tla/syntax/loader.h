#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tla/syntax/syntax.h"

namespace txscope::tla {

/// Finds and parses modules by name, each once: those built into txscope
/// (Bags, Txscope), beside the specification, and in further directories.
class Loader {
 public:
  explicit Loader(std::vector<std::string> directories)
      : directories_(std::move(directories)) {}

  /// Reads and parses a file.  Throws Fault.
  const Module& load_file(const std::string& path);
  /// Parses text as if it were a file of that name.  Throws Fault.
  const Module& load_text(std::string file, std::string text);
  /// The module of that name.  Throws Fault at `spot` if there is none.
  const Module& load(std::string_view name, const Spot& spot);

  /// Depends on all texts that were read.
  [[nodiscard]] std::uint64_t fingerprint() const;

  /// What has been read under this name, or null.
  [[nodiscard]] const Source* find_source(std::string_view file) const;

  /// Reads a file as a Source that lives as long as the loader.
  const Source& read(const std::string& path);

 private:
  const Module& keep(std::string name, std::unique_ptr<Module> module);

  std::vector<std::string> directories_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::map<std::string, std::unique_ptr<Module>, std::less<>> modules_;
};

/// The text of a module written in TLA+ that is part of txscope, or null.
[[nodiscard]] const char* builtin_module_text(std::string_view name);

}  // namespace txscope::tla
