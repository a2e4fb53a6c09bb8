// How fast histories are read, per format, from text in memory (Cobra: from
// files).
//
//   bench_read [transactions]      default 100000, 8 operations each
//
// One line per format: size, processor time, megabytes and operations per
// second.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/random.h"
#include "read/histories/history_source.h"
#include "read/writers/write_history.h"

namespace {

using namespace txscope;

constexpr int kSessions = 20;
constexpr int kOps = 8;
constexpr std::uint64_t kKeys = 10'000;

struct Access {
  bool is_write;
  std::uint64_t key;
  std::uint64_t value;
};
using Steps = std::vector<Access>;

// Processor time: readers have one thread, and others share the machine.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A serial run: every read sees the last write.
std::vector<Steps> serial_run(int transactions) {
  Random random(1);
  std::vector<std::uint64_t> store(kKeys, 0);
  std::vector<Steps> run;
  std::uint64_t value = 0;
  for (int t = 0; t < transactions; ++t) {
    Steps txn;
    for (int i = 0; i < kOps; ++i) {
      const std::uint64_t key = random.below(kKeys);
      const bool is_write = random.chance(0.5);
      if (is_write) store[key] = ++value;
      txn.push_back({is_write, key, store[key]});
    }
    run.push_back(std::move(txn));
  }
  return run;
}

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string jsonl(const std::vector<Steps>& run, const std::string& prefix) {
  std::string text;
  const auto key = [&](std::uint64_t k) {
    return prefix.empty() ? number(k) : "\"" + prefix + number(k) + "\"";
  };
  for (std::size_t t = 0; t < run.size(); ++t) {
    text += "{\"session\":" + number(t % kSessions) + ",\"id\":" + number(t) +
            ",\"ops\":[";
    for (std::size_t i = 0; i < run[t].size(); ++i)
      text += std::string(i == 0 ? "" : ",") +
              (run[t][i].is_write ? "[\"w\"," : "[\"r\",") +
              key(run[t][i].key) + "," + number(run[t][i].value) + "]";
    text += "]}\n";
  }
  return text;
}

std::string plume(const std::vector<Steps>& run, bool is_interleaved) {
  std::string text;
  const auto add = [&](std::size_t t, const Access& op) {
    text += (op.is_write ? "w(" : "r(") + number(op.key) + "," +
            number(op.value) + "," + number(t % kSessions) + "," + number(t) +
            ")\n";
  };
  const std::size_t block = is_interleaved ? kSessions : 1;
  for (std::size_t t = 0; t < run.size(); t += block)
    for (std::size_t i = 0; i < kOps; ++i)
      for (std::size_t u = t; u < std::min(t + block, run.size()); ++u)
        add(u, run[u][i]);
  return text;
}

std::string awdit(const std::vector<Steps>& run) {
  std::string text;
  for (std::size_t s = 0; s < kSessions; ++s) {
    for (std::size_t t = s; t < run.size(); t += kSessions) {
      for (const Access& op : run[t])
        text += (op.is_write ? "w " : "r ") + number(op.key) + " " +
                number(op.value) + "\n";
      text += "---\n";
    }
    text += "===\n";
  }
  return text;
}

void little(std::string& text, std::uint64_t n) {
  for (int i = 0; i < 8; ++i) text += static_cast<char>(n >> 8 * i);
}

void big(std::string& text, std::uint64_t n) {
  for (int i = 7; i >= 0; --i) text += static_cast<char>(n >> 8 * i);
}

std::string bincode(const std::vector<Steps>& run) {
  std::string text;
  for (int i = 0; i < 8; ++i) little(text, 0);
  little(text, kSessions);
  for (std::size_t s = 0; s < kSessions; ++s) {
    little(text, (run.size() + kSessions - 1 - s) / kSessions);
    for (std::size_t t = s; t < run.size(); t += kSessions) {
      little(text, run[t].size());
      for (const Access& op : run[t]) {
        text += op.is_write ? '\1' : '\0';
        little(text, op.key);
        little(text, op.value);
        text += '\1';
      }
      text += '\1';
    }
  }
  return text;
}

std::string dbcop_json(const std::vector<Steps>& run) {
  std::string text = "[";
  for (std::size_t s = 0; s < kSessions; ++s) {
    text += s == 0 ? "[" : "],[";
    for (std::size_t t = s; t < run.size(); t += kSessions) {
      text += std::string(t == s ? "" : ",") + "{\"events\":[";
      for (std::size_t i = 0; i < run[t].size(); ++i)
        text += std::string(i == 0 ? "" : ",") +
                (run[t][i].is_write ? "{\"Write\":" : "{\"Read\":") +
                "{\"variable\":" + number(run[t][i].key) +
                ",\"version\":" + number(run[t][i].value) + "}}";
      text += "],\"committed\":true}";
    }
  }
  return text + "]]";
}

std::string timekiller(const std::vector<Steps>& run) {
  std::string text = "[";
  for (std::size_t t = 0; t < run.size(); ++t) {
    text += std::string(t == 0 ? "" : ",\n") + "{\"tid\":" + number(t) +
            ",\"sid\":" + number(t % kSessions) +
            ",\"sts\":{\"p\":" + number(2 * t) +
            ",\"l\":0},\"cts\":{\"p\":" + number(2 * t + 1) +
            ",\"l\":0},\"ops\":[";
    for (std::size_t i = 0; i < run[t].size(); ++i)
      text += std::string(i == 0 ? "" : ",") + "{\"t\":\"" +
              (run[t][i].is_write ? "w" : "r") +
              "\",\"k\":" + number(run[t][i].key) +
              ",\"v\":" + number(run[t][i].value) + "}";
    text += "]}";
  }
  return text + "]";
}

/// Keys and write ids are hashes of 64 bits, as Cobra's are.
std::size_t write_cobra(const std::vector<Steps>& run,
                        const std::filesystem::path& directory) {
  const auto hash = [](std::uint64_t n) { return Random(n).next(); };
  std::size_t size = 0;
  for (std::size_t s = 0; s < kSessions; ++s) {
    std::string log;
    for (std::size_t t = s; t < run.size(); t += kSessions) {
      log += 'S';
      big(log, t + 1);
      for (const Access& op : run[t]) {
        log += op.is_write ? 'W' : 'R';
        const bool is_initial = op.value == 0;
        if (!op.is_write) big(log, is_initial ? 0xbebeebee : 1);
        big(log, is_initial ? 0xbebeebee : hash(op.value));
        big(log, hash(op.key + 1'000'000'000));
        big(log, 0);
      }
      log += 'C';
      big(log, t + 1);
    }
    size += log.size();
    std::ofstream(directory / ("T" + number(s) + ".log"), std::ios::binary)
        << log;
  }
  return size;
}

void measure(
    const char* name, std::size_t size,
    const std::function<Result<std::unique_ptr<read::HistorySource>>()>& open) {
  double best = 1e9;
  std::size_t ops = 0;
  for (int round = 0; round < 3; ++round) {
    const double start = now();
    auto source = open();
    if (!source)
      return void(std::printf("%s: %s\n", name, source.error().what.c_str()));
    const auto history = (*source)->next();
    if (!history)
      return void(std::printf("%s: %s\n", name, history.error().what.c_str()));
    best = std::min(best, now() - start);
    ops = (*history)->ops().size();
  }
  std::printf("%-24s %7.1f MB %8.1f ms %8.0f MB/s %7.1f M ops/s\n", name,
              static_cast<double>(size) / 1e6, best * 1e3,
              static_cast<double>(size) / 1e6 / best,
              static_cast<double>(ops) / 1e6 / best);
}

void measure(const char* name, const std::string& text) {
  measure(name, text.size(),
          [&] { return read::open_history_text("bench", text, {}); });
}

/// The same histories as txscope writes them for others.
std::string converted(const std::string& text, read::WriteFormat format) {
  std::string result;
  auto source = read::open_history_text("bench", text, {});
  const auto history = (*source)->next();
  const auto notes = read::write_history(
      **history, format, [&](std::string_view piece) { result += piece; });
  if (!notes) std::printf("%s\n", notes.error().what.c_str());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int transactions = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const std::vector<Steps> run = serial_run(transactions);
  measure("jsonl", jsonl(run, ""));
  measure("jsonl, string keys", jsonl(run, "key-"));
  measure("plume", plume(run, false));
  measure("plume, interleaved", plume(run, true));
  measure("awdit", awdit(run));
  measure("dbcop bincode", bincode(run));
  measure("dbcop json", dbcop_json(run));
  measure("timekiller", timekiller(run));
  measure("edn", converted(jsonl(run, ""), read::WriteFormat::Edn));
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / "txscope-bench-read";
  std::filesystem::create_directories(directory);
  const std::size_t size = write_cobra(run, directory);
  measure("cobra", size,
          [&] { return read::open_history(directory.string(), {}); });
  std::filesystem::remove_all(directory);
  std::printf("peak memory %.0f MB\n",
              static_cast<double>(peak_memory()) / 1e6);
}
