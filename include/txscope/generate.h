#pragma once

/// Makes histories:
///
///     #include <txscope/generate.h>
///     using namespace txscope;
///
///     verb::GenerateRequest request;
///     request.level = "causal";
///     request.write = [](std::string_view piece) { std::cout << piece; };
///     auto report = verb::generate(request, Budget::unlimited());
#include <txscope/write.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// Makes a history, or looks for one that distinguishes two levels.
struct GenerateRequest {
  std::string level;  ///< what is guaranteed; empty: serializable
  std::string order;
  std::uint64_t sessions = 20;
  std::uint64_t transactions = 10000;
  std::string operations = "8";  ///< in each transaction: "8", "4..12"
  std::uint64_t keys = 10000;
  double reads = 0.5;                    ///< share
  std::string distribution = "uniform";  ///< zipf, zipf:0.99, hotspot
  bool lists = false;
  std::uint64_t values = 0;  ///< number of different ones; 0: each once
  double aborted = 0;
  double unknown = 0;
  bool no_times = false;
  std::uint64_t replicas = 4;
  std::string plant;  ///< an anomaly; empty: none
  std::uint64_t seed = 1;
  /// Both, or none: find a smallest history that distinguishes them.
  std::string allowed_by;
  std::string forbidden_by;

  std::string to;    ///< jsonl, edn, plume; empty: by the name of the file
  std::string file;  ///< only the name of the output, for messages
  std::function<void(std::string_view)>
      write;  ///< receives the output in pieces
};

/// There is a finding only for two levels: whether such a history was found.
[[nodiscard]] Result<Report> generate(const GenerateRequest& request,
                                      const Budget& budget);

}  // namespace txscope::verb
