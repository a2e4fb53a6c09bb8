// bench_audit_mutants [TRANSACTIONS [MUTANTS [CLIENTS [WORKLOAD]]]]: records
// logs at the levels of private servers, audits them and mutants of them at the
// level they ran at, with the program of the same build, and prints how many
// are explained and refuted.  A mutant has one value, one row, one count
// changed, or the rows of another run of the same statement.  One that is
// explained is certified: another order than that of the server explains it.
//
//     bench_audit_mutants 3000 3 8
//     bench_audit_mutants 20000 2 24 bank

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using Json = nlohmann::json;
using Random = std::mt19937;

constexpr const char* kWorkloads[] = {"bank", "twitter", "rubis", "tpcc"};
constexpr const char* kServerLevels[] = {
    "postgresql:read-committed", "postgresql:repeatable-read",
    "postgresql:serializable",   "mariadb:read-committed",
    "mariadb:repeatable-read",   "mariadb:repeatable-read+snapshot",
    "mariadb:serializable",
};
constexpr const char* kKinds[] = {"value", "row", "count", "order"};
constexpr double kSlow = 10;  // seconds

/// A recorded log, line by line, read.
struct RecordedLog {
  std::string header;
  std::vector<std::string> lines;
  std::vector<Json> transactions;
};

RecordedLog read_log(const std::string& path) {
  RecordedLog log;
  std::ifstream in(path);
  std::getline(in, log.header);
  for (std::string line; std::getline(in, line);) {
    log.transactions.push_back(Json::parse(line));
    log.lines.push_back(std::move(line));
  }
  return log;
}

std::size_t below(Random& random, std::size_t n) { return random() % n; }

bool is_select(const Json& statement) {
  const std::string sql = statement["sql"];
  return sql.rfind("SELECT", 0) == 0 && statement.contains("rows") &&
         !statement["rows"].empty();
}

/// Some statement of a committed transaction for which this is true.
template <class Wanted>
std::optional<std::pair<std::size_t, std::size_t>> some_statement(
    const RecordedLog& log, Random& random, const Wanted& is_wanted) {
  for (int tries = 0; tries < 20'000; ++tries) {
    const std::size_t t = below(random, log.transactions.size());
    const Json& txn = log.transactions[t];
    if (txn["status"] != "committed" || txn["statements"].empty()) continue;
    const std::size_t k = below(random, txn["statements"].size());
    if (is_wanted(txn["statements"][k])) return std::pair(t, k);
  }
  return std::nullopt;
}

/// Another number in a cell of an answer.
bool change_value(Json& statement, Random& random) {
  std::vector<Json*> numbers;
  for (Json& row : statement["rows"])
    for (Json& cell : row)
      if (cell.is_number_integer()) numbers.push_back(&cell);
  if (numbers.empty()) return false;
  Json& cell = *numbers[below(random, numbers.size())];
  const auto by = static_cast<std::int64_t>(below(random, 60)) + 1;
  cell = cell.get<std::int64_t>() + (below(random, 2) == 0 ? by : -by);
  return true;
}

/// The line that is changed, and how; none: there is nothing to change so.
std::optional<std::pair<std::size_t, std::string>> mutant(
    const RecordedLog& log, const std::string& kind, Random& random) {
  const auto place = some_statement(log, random, [&](const Json& s) {
    return kind == "count" ? s.contains("count") : is_select(s);
  });
  if (!place) return std::nullopt;
  const auto [t, k] = *place;
  Json changed = log.transactions[t];
  Json& statement = changed["statements"][k];
  Json& rows = statement["rows"];
  if (kind == "value") {
    if (!change_value(statement, random)) return std::nullopt;
  } else if (kind == "row") {
    const std::size_t i = below(random, rows.size());
    if (below(random, 2) == 0)
      rows.erase(i);
    else
      rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(i), Json(rows[i]));
  } else if (kind == "count") {
    statement.erase("rows");
    const auto count = statement["count"].get<std::int64_t>();
    const bool is_more = count == 0 || below(random, 2) == 0;
    statement["count"] = is_more ? count + 1 : count - 1;
    if (log.transactions[t]["statements"][k].contains("rows"))
      return std::nullopt;
  } else {
    const auto other = some_statement(log, random, [&](const Json& s) {
      return is_select(s) && s["sql"] == statement["sql"] &&
             s.value("params", Json()) == statement.value("params", Json()) &&
             s["rows"] != rows;
    });
    if (!other) return std::nullopt;
    rows = log.transactions[other->first]["statements"][other->second]["rows"];
  }
  return std::pair(t, changed.dump());
}

int run(const std::string& command, double& seconds) {
  const auto start = std::chrono::steady_clock::now();
  const int ended = std::system(command.c_str());
  seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

struct Tally {
  int refuted = 0;
  int explained = 0;
  int undecided = 0;
  double slowest = 0;
};

class Bench {
 public:
  Bench(std::string program, std::string folder, int count, char** arguments)
      : program_(std::move(program)), folder_(std::move(folder)) {
    if (count > 1) transactions_ = arguments[1];
    if (count > 2) mutants_ = std::atoi(arguments[2]);
    if (count > 3) clients_ = arguments[3];
    if (count > 4) only_ = arguments[4];
  }

  void run_all() {
    std::printf("%-8s %-34s %-11s %7s  %s\n", "workload", "level", "the log",
                "seconds", "mutants: refuted+explained+undecided (slowest s)");
    for (const char* workload : kWorkloads)
      for (const char* level : kServerLevels)
        if (only_.empty() || only_ == workload) one(workload, level);
    int refuted = 0, all = 0;
    for (const auto& [kind, tally] : totals_) {
      std::printf("%-6s %d refuted, %d explained, %d undecided\n", kind.c_str(),
                  tally.refuted, tally.explained, tally.undecided);
      refuted += tally.refuted;
      all += tally.refuted + tally.undecided;
    }
    std::printf("%d of %d that no order explains or that are open: refuted\n",
                refuted, all);
  }

 private:
  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_ + "/" + name;
  }

  int audit(const std::string& log, double& seconds) const {
    return run(program_ + " audit " + log + " --timeout 10s --certify > " +
                   path("words") + " 2>&1",
               seconds);
  }

  void one(const std::string& workload, const std::string& level) {
    double seconds = 0;
    const std::string place = path("log.jsonl");
    const std::string product = level.substr(0, level.find(':'));
    if (run(program_ + " record --workload " + workload + " --db " + product +
                " --level " + level + " --scale 20 --clients " + clients_ +
                " --transactions " + transactions_ + " -o " + place + " > " +
                path("words") + " 2>&1",
            seconds) != 0) {
      std::printf("%-8s %-34s not recorded\n", workload.c_str(), level.c_str());
      return;
    }
    const int status = audit(place, seconds);
    std::printf("%-8s %-34s %-11s %7.1f ", workload.c_str(), level.c_str(),
                status == 0   ? "explained"
                : status == 1 ? "VIOLATED"
                              : "undecided",
                seconds);
    const RecordedLog log = read_log(place);
    Random random(1);
    for (const std::string kind : kKinds) {
      Tally tally;
      for (int i = 0; i < mutants_; ++i)
        if (const auto changed = mutant(log, kind, random))
          judge(log, *changed, tally);
      std::printf(" %s %d+%d+%d (%.1f)", kind.c_str(), tally.refuted,
                  tally.explained, tally.undecided, tally.slowest);
      Tally& total = totals_[kind];
      total.refuted += tally.refuted;
      total.explained += tally.explained;
      total.undecided += tally.undecided;
      std::fflush(stdout);
    }
    std::printf("\n");
  }

  void judge(const RecordedLog& log,
             const std::pair<std::size_t, std::string>& changed,
             Tally& tally) const {
    const std::string place = path("mutant.jsonl");
    {
      std::ofstream out(place);
      out << log.header << "\n";
      for (std::size_t t = 0; t < log.lines.size(); ++t)
        out << (t == changed.first ? changed.second : log.lines[t]) << "\n";
    }
    double seconds = 0;
    const int status = audit(place, seconds);
    const bool is_decided = status <= 1 && seconds < kSlow;
    ++(!is_decided   ? tally.undecided
       : status == 1 ? tally.refuted
                     : tally.explained);
    tally.slowest = std::max(tally.slowest, seconds);
  }

  std::string program_;
  std::string folder_;
  std::string transactions_ = "3000";
  int mutants_ = 3;
  std::string clients_ = "8";
  std::string only_;
  std::map<std::string, Tally> totals_;
};

}  // namespace

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  const std::string program =
      (fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
       "txscope")
          .string();
  const fs::path folder = fs::temp_directory_path() /
                          ("bench_audit_mutants." + std::to_string(::getpid()));
  fs::create_directories(folder);
  Bench(program, folder.string(), count, arguments).run_all();
  fs::remove_all(folder);
  return 0;
}
