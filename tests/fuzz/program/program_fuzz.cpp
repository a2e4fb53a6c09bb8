// The whole program on broken files, with options and budgets as they fall: it
// ends in time, with one of its exit statuses, and never by a signal.
//
// TXSCOPE_FUZZ_SECONDS says for how long, instead of for how many rounds.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/fuzz.h"
#include "support/paths.h"
#include "support/run_command.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

struct Seed {
  std::string name;  // with its extension
  std::string text;
};

std::vector<Seed> seeds() {
  constexpr std::uintmax_t kLargest = 20'000;
  std::vector<Seed> found;
  for (const char* folder :
       {"examples", "tests/malformed", "tests/programs", "tests/sql"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(test::source_dir() + "/" + folder)) {
      if (!entry.is_regular_file() || entry.file_size() > kLargest) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream text;
      text << file.rdbuf();
      found.push_back(
          {"input" + entry.path().extension().string(), std::move(text).str()});
    }
  }
  std::sort(found.begin(), found.end(), [](const Seed& a, const Seed& b) {
    return std::tie(a.name, a.text) < std::tie(b.name, b.text);
  });
  return found;
}

template <class T>
const T& any(const std::vector<T>& all, Random& random) {
  return all[random.below(all.size())];
}

std::string mutated(std::string text, const std::string& other,
                    Random& random) {
  const auto place = [&] { return random.below(text.size() + 1); };
  for (auto changes = random.below(4); changes > 0; --changes) {
    switch (random.below(5)) {
      case 0: text.erase(place(), random.below(20)); break;
      case 1:
        text.insert(place(), 1, static_cast<char>(random.below(256)));
        break;
      case 2: text.resize(place()); break;
      case 3: {
        const std::size_t from = random.below(other.size() + 1);
        text.insert(place(), other.substr(from, random.below(60)));
        break;
      }
      default: {
        const std::size_t from = place();
        const std::string piece = text.substr(from, random.below(80));
        text.insert(place(), piece);
      }
    }
  }
  return text;
}

std::string random_call(const std::string& file, Random& random) {
  static const std::vector<std::string> kVerbs = {
      "check",  "check",   "explore", "explore", "verify",
      "robust", "convert", "audit",   "model",   "check --all"};
  static const std::vector<std::string> kLevels = {"all",
                                                   "causal",
                                                   "serializable",
                                                   "read-committed",
                                                   "snapshot-isolation",
                                                   "postgresql",
                                                   "mariadb:repeatable-read",
                                                   "read-uncommitted,prefix"};
  static const std::vector<std::string> kTimes = {"1ms", "10ms", "100ms",
                                                  "700ms"};
  std::string call = any(kVerbs, random) + " " + file;
  if (call.starts_with("convert")) return call + " --to jsonl -o out.jsonl";
  if (random.chance(0.6) && !call.starts_with("model") &&
      !call.starts_with("robust"))
    call += " --level " + any(kLevels, random);
  if (random.chance(0.3)) call += " --format json";
  if (random.chance(0.2) && !call.starts_with("audit")) call += " --format dot";
  if (random.chance(0.2)) call += " --certify";
  if (random.chance(0.2)) call += " --jobs 3";
  if (random.chance(0.2)) call += " -o out.txt";
  if (random.chance(0.15)) call += " --memory 60M";
  return call + " --timeout " + any(kTimes, random);
}

TEST(Program, EndsInTimeWithAStatusWhateverItIsGiven) {
  const std::vector<Seed> all = seeds();
  ASSERT_GT(all.size(), 50u);
  const TemporaryDirectory directory;
  Random random(fuzz_seed(11));
  const char* seconds = std::getenv("TXSCOPE_FUZZ_SECONDS");
  const auto end = Clock::now() +
                   std::chrono::seconds(seconds != nullptr ? atoi(seconds) : 0);
  const int rounds = seconds != nullptr ? 1 << 30 : fuzz_rounds(100);
  for (int round = 0; round < rounds; ++round) {
    if (seconds != nullptr && Clock::now() > end) break;
    const Seed& seed = any(all, random);
    const std::string text = mutated(seed.text, any(all, random).text, random);
    directory.write(seed.name, text);
    const std::string call = random_call(seed.name, random);
    // 700 ms, a tenth and half a second; the rest is for a busy machine.
    const Ran ran =
        run_command("timeout -s KILL 30 txscope " + call + " > /dev/null",
                    directory.path());
    ASSERT_TRUE(ran.status >= 0 && ran.status <= 3)
        << "txscope " << call << " ended with " << ran.status << "\n"
        << ran.output << "\n--- " << seed.name << ", seed 11, round " << round
        << "\n"
        << text;
  }
}

}  // namespace
}  // namespace txscope
