// bench_audit [TRANSACTIONS [CLIENTS [WORKLOAD]]]: records logs of a private PostgreSQL
// with the program of the same build, audits them to the end, and prints how many
// transactions per second each took, beside what paper and database did.
//
//     bench_audit 50000 8
//     bench_audit 1000000 8 bank

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

struct Workload {
  const char* name;
  /// Transactions that the paper's tool checks in five minutes (its table 1;
  /// of the bank, "thousands", it has only curves).
  int paper_serializable;
  int paper_snapshot;
  int paper_read_committed;
};
constexpr Workload kWorkloads[] = {
    {"bank", 0, 0, 0},
    {"twitter", 2860, 2810, 496},
    {"rubis", 451, 397, 311},
    {"tpcc", 445, 394, 121},
};

struct Run {
  const char* recorded_at;
  const char* audited_at;
  int Workload::*paper;
};
constexpr Run kRuns[] = {
    {"postgresql:serializable", "serializable", &Workload::paper_serializable},
    {"postgresql:repeatable-read", "snapshot-isolation",
     &Workload::paper_snapshot},
    {"postgresql:read-committed", "read-committed",
     &Workload::paper_read_committed},
};

double seconds_of(const std::string& command, int& status) {
  const auto start = std::chrono::steady_clock::now();
  const int ended = std::system(command.c_str());
  status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

std::string output_of(const std::string& path) {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
    char piece[4096];
    while (const std::size_t got = std::fread(piece, 1, sizeof piece, file))
      text.append(piece, got);
    std::fclose(file);
  }
  return text;
}

/// "... (1234/s): ..."
double recorded_rate(const std::string& words) {
  const std::size_t at = words.find(" s (");
  return at == words.npos ? 0 : std::atof(words.c_str() + at + 4);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string transactions = count > 1 ? arguments[1] : "50000";
  const std::string clients = count > 2 ? arguments[2] : "8";
  const std::string only = count > 3 ? arguments[3] : "";
  namespace fs = std::filesystem;
  const std::string program =
      (fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
       "txscope")
          .string();
  const fs::path place = fs::temp_directory_path() /
                         ("bench_audit." + std::to_string(std::rand()) + "." +
                          std::to_string(::getpid()));
  fs::create_directories(place);
  const std::string log = (place / "log.jsonl").string();
  const std::string words = (place / "words").string();
  std::printf("%-8s %-20s %9s %12s %12s %10s  %s\n", "workload", "level",
              "recorded", "database/s", "audited/s", "paper/s", "verdict");
  for (const Workload& workload : kWorkloads) {
    if (!only.empty() && only != workload.name) continue;
    for (const Run& run : kRuns) {
      int status = 0;
      (void)seconds_of(program + " record --workload " + workload.name +
                           " --level " + run.recorded_at + " --clients " +
                           clients + " --transactions " + transactions +
                           " -o " + log + " > " + words + " 2>&1",
                       status);
      const std::string said = output_of(words);
      if (status != 0) {
        std::printf("%-8s %-20s %s", workload.name, run.audited_at,
                    said.c_str());
        continue;
      }
      const double seconds =
          seconds_of(program + " audit " + log + " --format json --timeout " +
                         "10m --level " + run.audited_at + " > " + words +
                         " 2>&1",
                     status);
      const auto answer =
          nlohmann::json::parse(output_of(words), nullptr, false);
      std::string verdict = "no answer";
      double audited = 0;
      if (!answer.is_discarded() && answer.contains("results")) {
        verdict = answer["results"][0].value("verdict", verdict);
        audited = answer["results"][0].value("transactions", 0.0);
      }
      const int paper = workload.*run.paper;
      std::printf("%-8s %-20s %9s %12.0f %12.0f %10s  %s\n", workload.name,
                  run.audited_at, transactions.c_str(), recorded_rate(said),
                  audited / seconds,
                  paper == 0 ? "-"
                             : std::to_string(paper / 300.0).substr(0, 4).c_str(),
                  verdict.c_str());
      std::fflush(stdout);
    }
  }
  fs::remove_all(place);
  return 0;
}
