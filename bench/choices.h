#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/random.h"

namespace txscope {

/// A history that asks what a satisfiability solver is asked: each variable is
/// the order of two writers of a key, each clause a cycle of three readers,
/// closed if none of three orders is as the clause has it.  (Cycles may mix
/// clauses, so it is no translation; Papadimitriou, JACM 1979, has one.)  As
/// JSON lines, every transaction in a session of its own.
inline std::string choices_history(std::uint32_t variables,
                                   std::uint32_t clauses, std::uint64_t seed) {
  Random random(seed);
  const auto op = [](const char* kind, const std::string& key, unsigned value) {
    return std::string(",[\"") + kind + "\",\"" + key + "\"," +
           std::to_string(value) + "]";
  };
  std::vector<std::string> ops;  // by transaction, each with a comma before it
  for (std::uint32_t v = 0; v < variables; ++v)
    for (const unsigned side : {0u, 1u})
      ops.push_back(op("w", "x" + std::to_string(v), side + 1));
  for (std::uint32_t c = 0; c < clauses; ++c) {
    std::array<std::string, 3> readers;
    std::array<std::uint64_t, 3> chosen{};
    for (std::size_t i = 0; i < 3; ++i) {
      do {
        chosen[i] = random.below(variables);
      } while ((i > 0 && chosen[i] == chosen[0]) ||
               (i > 1 && chosen[i] == chosen[1]));
      const auto read = static_cast<unsigned>(random.below(2));
      readers[i] += op("r", "x" + std::to_string(chosen[i]), read + 1);
      // Who overwrites what was read is before the next reader.
      const std::string link =
          "c" + std::to_string(c) + "." + std::to_string(i);
      ops[2 * chosen[i] + (1 - read)] += op("w", link, 1);
      readers[(i + 1) % 3] += op("r", link, 1);
    }
    ops.insert(ops.end(), readers.begin(), readers.end());
  }
  std::string text;
  for (std::size_t t = 0; t < ops.size(); ++t)
    text += "{\"session\":" + std::to_string(t) + ",\"ops\":[" +
            ops[t].substr(1) + "]}\n";
  return text;
}

}  // namespace txscope
