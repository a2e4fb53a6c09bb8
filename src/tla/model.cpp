#include "tla/model.h"

#include <filesystem>

#include "base/big_thread.h"
#include "tla/pluscal/splice.h"
#include "tla/search/model_search.h"
#include "tla/syntax/config.h"

namespace txscope {
namespace {

std::string config_beside(const std::string& spec) {
  std::filesystem::path path(spec);
  path.replace_extension(".cfg");
  return path.string();
}

tla::Config read_config(const ModelRequest& request, tla::Loader& loader) {
  if (request.config) return tla::parse_config(loader.read(*request.config));
  const std::string path = config_beside(request.spec);
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw tla::Fault{Error{{path, 0, 0, {}},
                           "the configuration of the model is missing",
                           "write it beside the specification or name it with "
                           "--config",
                           {}}};
  return tla::parse_config(loader.read(path));
}

}  // namespace

Result<ModelResult> check_model(
    const ModelRequest& request, const Budget& budget,
    const std::function<void(const ModelProgress&)>& progress,
    ModelResult* so_far) {
  std::optional<Result<ModelResult>> answer;
  // Parsing, compiling and evaluating recurse as deeply as the specification.
  BigThread thread([&] {
    try {
      const std::filesystem::path spec(request.spec);
      std::vector<std::string> directories = {
          spec.has_parent_path() ? spec.parent_path().string() : "."};
      directories.insert(directories.end(), request.include.begin(),
                         request.include.end());
      tla::Loader loader(std::move(directories));
      const tla::Module& root = loader.load_file(request.spec);
      const tla::Config config = read_config(request, loader);
      tla::ModelSearch search(root, config, loader, request, budget, progress);
      answer.emplace(search.run(so_far));
    } catch (const tla::Fault& fault) {
      answer.emplace(fault.error);
    } catch (const tla::Stopped&) {
      ModelResult undecided;
      undecided.spent = budget.reason();
      answer.emplace(std::move(undecided));
    }
  });
  thread.join();
  return std::move(*answer);
}

Result<std::string> translated_module(const std::string& path) {
  std::optional<Result<std::string>> answer;
  BigThread thread([&] {
    try {
      tla::Loader loader({});
      const tla::Module& module = loader.load_file(path);
      answer.emplace(tla::pluscal::text_with_translation(module));
    } catch (const tla::Fault& fault) {
      answer.emplace(fault.error);
    }
  });
  thread.join();
  return std::move(*answer);
}

}  // namespace txscope
