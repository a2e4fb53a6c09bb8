#include "tla/model.h"

#include <algorithm>
#include <exception>
#include <filesystem>

#include "base/big_thread.h"
#include "tla/pluscal/splice.h"
#include "tla/search/model_search.h"
#include "tla/syntax/config.h"
#include "transport/outside.h"
#include "transport/processes.h"
#include "transport/threads.h"

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

/// The whole answer, or one rank's part in it; nothing from ranks but the
/// first.
std::optional<Result<ModelResult>> answer_of(
    const ModelRequest& request, const Budget& budget,
    const std::function<void(const ModelProgress&)>& progress,
    ModelResult* so_far, transport::Group* group) {
  try {
    const std::filesystem::path spec(request.spec);
    std::vector<std::string> directories = {
        spec.has_parent_path() ? spec.parent_path().string() : "."};
    directories.insert(directories.end(), request.include.begin(),
                       request.include.end());
    tla::Loader loader(std::move(directories));
    const tla::Module& root = loader.load_file(request.spec);
    const tla::Config config = read_config(request, loader);
    tla::ModelSearch search(root, config, loader, request, budget, progress,
                            group);
    if (group == nullptr || group->rank() == 0)
      return Result<ModelResult>(search.run(so_far));
    search.serve();
    return std::nullopt;
  } catch (const tla::Fault& fault) {
    return Result<ModelResult>(fault.error);
  } catch (const tla::Stopped&) {
    ModelResult undecided;
    undecided.spent = budget.reason();
    return Result<ModelResult>(std::move(undecided));
  }
}

/// Parsing, compiling and evaluating recurse as deeply as the specification.
void run_deep(const std::function<void()>& run) {
  constexpr std::size_t kDeep = std::size_t{48} << 20u;
  if (stack_left() > kDeep) return run();
  std::exception_ptr thrown;
  BigThread thread([&] {
    try {
      run();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

Result<ModelResult> check_model(
    const ModelRequest& request, const Budget& budget,
    const std::function<void(const ModelProgress&)>& progress,
    ModelResult* so_far) {
  std::optional<Result<ModelResult>> answer;
  if (request.ranks == 0) {
    run_deep([&] {
      answer = answer_of(request, budget, progress, so_far, nullptr);
    });
    return std::move(*answer);
  }
  const auto be_rank = [&](transport::Transport& transport) {
    transport::Group group(transport);
    if (transport.rank() == 0) {
      run_deep([&] {
        answer = answer_of(request, budget, progress, so_far, &group);
      });
      group.leave();
      return;
    }
    const Budget mine(budget);
    bool is_done = false;
    run_deep([&] { is_done = !answer_of(request, mine, {}, nullptr, &group); });
    if (is_done) group.leave();
  };
  try {
    if (transport::outside() != nullptr)
      be_rank(*transport::outside());
    else if (request.ranks_are_threads || request.ranks == 1)
      transport::run_threads(request.ranks, be_rank);
    else
      transport::run_processes(request.ranks, be_rank);
  } catch (const transport::Lost& lost) {
    ModelResult undecided;
    if (so_far != nullptr) undecided = std::move(*so_far);
    undecided.trouble = lost.what;
    if (request.checkpoint &&
        tla::ranks::CheckpointDirectory::is_one(*request.checkpoint))
      undecided.checkpoint = *request.checkpoint;
    return undecided;
  }
  if (!answer) return ModelResult();  // a rank that only served
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
