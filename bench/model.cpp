#include <chrono>
#include <cstdio>

#include "tla/model.h"

int main(int argc, char** argv) {
  txscope::ModelRequest request;
  request.spec = argv[1];
  if (argc > 2) request.config = argv[2];
  if (argc > 3) request.jobs = static_cast<std::uint32_t>(std::atoi(argv[3]));
  const auto begin = std::chrono::steady_clock::now();
  const txscope::Budget budget = txscope::Budget::unlimited();
  const auto result = txscope::check_model(request, budget);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (!result) {
    std::printf("%s: %s\n%s\n%s\n", to_string(result.error().where).c_str(),
                result.error().what.c_str(), result.error().source_line.c_str(),
                result.error().hint.c_str());
    return 2;
  }
  std::printf(
      "%s %s generated %lu distinct %lu depth %u assumes %lu, %.2f s, %.0f "
      "MB\n",
      std::string(name(result->outcome)).c_str(), result->property.c_str(),
      result->generated, result->distinct, result->depth, result->assumptions,
      seconds, static_cast<double>(txscope::peak_memory()) / 1e6);
  for (const auto& p : result->printed) std::printf("print %s\n", p.c_str());
  std::size_t n = 0;
  for (const auto& step : result->trace) {
    std::printf("%zu %s %s\n", ++n, step.action.c_str(),
                to_string(step.place).c_str());
    if (argc > 4)
      for (const auto& v : step.values)
        std::printf("   %s %s = %s\n", v.changed ? "*" : " ",
                    v.variable.c_str(), v.value.c_str());
  }
  return 0;
}
