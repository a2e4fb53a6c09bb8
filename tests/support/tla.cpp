#include "support/tla.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/big_thread.h"
#include "tla/evaluate/evaluator.h"

namespace txscope::test {
namespace {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("txscope-tla-" + std::to_string(getpid()) + "-" +
             std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

std::string write_spec(const ScratchDirectory& directory,
                       const std::string& module, const std::string& config) {
  directory.write("Spec.cfg", config);
  return directory.write("Spec.tla",
                         "---- MODULE Spec ----\n" + module + "\n====\n");
}

}  // namespace

Result<std::string> evaluate_tla(const std::string& expression,
                                 const std::string& definitions,
                                 bool use_natives) {
  std::optional<Result<std::string>> answer;
  BigThread thread([&] {
    try {
      tla::Loader loader({});
      const tla::Module& module = loader.load_text(
          "Test.tla",
          "---- MODULE Test ----\n"
          "EXTENDS Integers, Sequences, FiniteSets, TLC, Bags\n" +
              definitions + "\nResult ==\n  " + expression + "\n====\n");
      const tla::Config config;
      tla::Program program(module, config, loader, use_natives);
      tla::Evaluator evaluator(program);
      const tla::Value v = evaluator.evaluate(*program.find("Result"), nullptr);
      answer.emplace(tla::to_string(evaluator.sets().settle(v)));
    } catch (const tla::Fault& fault) {
      answer.emplace(fault.error);
    } catch (const tla::ValueFault& fault) {
      answer.emplace(Error{{}, fault.what, fault.hint, {}});
    }
  });
  thread.join();
  return std::move(*answer);
}

std::string value_of(const std::string& expression,
                     const std::string& definitions) {
  const auto result = evaluate_tla(expression, definitions);
  return result ? *result : "error: " + result.error().what;
}

std::vector<TraceState> way_to_error(const std::string& module,
                                     const std::string& config) {
  const ScratchDirectory directory;
  ModelRequest request;
  request.spec = write_spec(directory, module, config);
  ModelResult so_far;
  if (check_model(request, Budget::unlimited(), {}, &so_far)) return {};
  return so_far.trace;
}

Result<ModelResult> check_spec(const std::string& module,
                               const std::string& config, const SpecRun& run) {
  const ScratchDirectory directory;
  ModelRequest request;
  request.spec = write_spec(directory, module, config);
  request.jobs = run.jobs;
  request.simulate = run.simulate;
  request.max_depth = run.max_depth;
  if (run.adjust) run.adjust(request);
  return check_model(request, Budget(run.limits));
}

std::optional<std::string> public_specs() {
  const char* directory = std::getenv("TXSCOPE_TLA_SPECS");
  if (directory == nullptr || !std::filesystem::is_directory(directory))
    return std::nullopt;
  return std::string(directory);
}

}  // namespace txscope::test
