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
  std::string config;  // of a specification
};

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// As verbs look for them: sessions in a directory, what is named by its module.
std::string name_of(const fs::path& path) {
  const std::string folder = path.parent_path().parent_path().filename();
  if (folder == "cobra") return "logs/T1.log";
  if (folder == "viper") return "logs/J1.log";
  if (path.extension() == ".tla") return path.filename();
  return "input" + path.extension().string();
}

std::vector<Seed> seeds() {
  constexpr std::uintmax_t kLargest = 20'000;
  std::vector<Seed> found;
  for (const char* folder :
       {"examples", "tests/malformed", "tests/programs", "tests/sql"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(test::source_dir() + "/" + folder)) {
      if (!entry.is_regular_file() || entry.file_size() > kLargest) continue;
      fs::path config = entry.path();
      config.replace_extension(".cfg");
      found.push_back(
          {name_of(entry.path()), content(entry.path()),
           entry.path().extension() == ".tla" ? content(config) : ""});
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

struct Option {
  std::string_view verbs;
  std::vector<std::string> spellings;
};

const std::vector<Option>& options() {
  static const std::vector<Option> kOptions = {
      {"check explore verify audit",
       {"--level all", "--level causal", "--level serializable",
        "--level read-committed", "--level snapshot-isolation",
        "--level postgresql", "--level mariadb:repeatable-read",
        "--level read-uncommitted,prefix", "--level strict-serializable"}},
      {"check explore verify robust audit model",
       {"--format json", "--format dot", "--format json -o out.txt",
        "-o out.txt", "--format text --format json -o out.json"}},
      {"check explore audit verify robust", {"--certify"}},
      {"check explore verify robust model", {"--jobs 3"}},
      {"check explore verify robust audit model convert",
       {"--memory 60M", "--memory 1M"}},
      {"check", {"--all", "--evidence", "--judge-aborted"}},
      {"check", {"--order none", "--order session", "--order realtime"}},
      {"check convert",
       {"--input-format jsonl", "--input-format edn", "--input-format plume",
        "--input-format awdit", "--input-format dbcop-bincode",
        "--input-format dbcop-hist", "--input-format etcd-log",
        "--input-format elle-json", "--input-format cobra"}},
      {"explore",
       {"--all", "--outcomes", "--self-check", "--algorithm dfs",
        "--loop-bound 2", "--histories h.out"}},
      {"model",
       {"--depth 3", "--simulate 5", "--coverage", "--all-values",
        "--no-deadlock", "--literal", "--dump d.dot", "--dump d.json",
        "--trace t.json", "--checkpoint run.txc", "--resume run.txc"}},
      {"convert", {"--to jsonl", "--to edn", "--to plume", "-o out.edn"}},
  };
  return kOptions;
}

std::string random_call(const std::string& file, Random& random) {
  static const std::vector<std::string> kVerbs = {
      "check",  "check",   "explore", "explore", "verify",
      "robust", "convert", "audit",   "model"};
  static const std::vector<std::string> kTimes = {"1ms", "10ms", "100ms",
                                                  "700ms"};
  const std::string verb = file.ends_with(".tla") && random.chance(0.8)
                               ? "model"
                               : any(kVerbs, random);
  std::string call = verb + " " + file;
  for (const Option& option : options())
    if (option.verbs.find(verb) != std::string_view::npos &&
        random.chance(0.35))
      call += " " + any(option.spellings, random);
  return verb == "convert" ? call : call + " --timeout " + any(kTimes, random);
}

TEST(Program, EndsInTimeWithAStatusWhateverItIsGiven) {
  const std::vector<Seed> all = seeds();
  ASSERT_GT(all.size(), 50u);
  const TemporaryDirectory directory;
  fs::create_directory(directory.path() + "/logs");
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
    if (!seed.config.empty())
      directory.write(fs::path(seed.name).replace_extension(".cfg"),
                      random.chance(0.3) ? mutated(seed.config, text, random)
                                         : seed.config);
    // What an earlier round left to go on from is spoilt, too.
    if (random.chance(0.3) && fs::exists(directory.path() + "/run.txc"))
      directory.write("run.txc",
                      mutated(directory.read("run.txc"), text, random));
    const bool is_session = seed.name.starts_with("logs/");
    const std::string call =
        random_call(is_session ? "logs" : seed.name, random);
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
