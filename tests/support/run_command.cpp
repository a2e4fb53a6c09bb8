#include "support/run_command.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/paths.h"

namespace txscope::test {

Ran run_command(const std::string& command, const std::string& directory) {
  const std::string folder =
      std::filesystem::path(binary()).parent_path().string();
  const std::string whole = "cd '" + directory + "' && export PATH='" + folder +
                            "':\"$PATH\" && unset COLUMNS && { " + command +
                            "\n} 2>&1 </dev/null";
  Ran ran;
  std::FILE* pipe = popen(whole.c_str(), "r");
  if (pipe == nullptr) return {127, "popen failed"};
  std::array<char, 65536> chunk;
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe))
    ran.output.append(chunk.data(), n);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "txscope-test-").string() +
      std::string(6, 'X');  // for mkdtemp() to fill in
  path_ = mkdtemp(pattern.data());
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name,
                                      const std::string& text) const {
  const std::filesystem::path file = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::string TemporaryDirectory::read(const std::string& name) const {
  std::ifstream file(std::filesystem::path(path_) / name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace txscope::test
