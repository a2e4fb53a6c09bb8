// bench_faults [TRANSACTIONS [SEED]]: a real PostgreSQL that errs, recorded and
// audited.  The clients' sessions are wrapped: now and then one is shown an
// answer that a correct server would not give, or a write is answered and not
// done.  Prints, by kind of error and level, how often it happened, the
// shortest beginning of the log that `audit` refutes, and how long that takes.
//
//     bench_faults 2000

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/record/recorder.h"
#include "verb/database/record_setup.h"

namespace {

using namespace txscope;

enum class Fault : std::uint8_t {
  None,
  StaleRead,       // one SELECT shows a state of some time ago
  LostWrite,       // an UPDATE is answered and not done
  MissingRow,      // a row of an answer is not there
  WrongSum,        // an aggregate is one too high
  Replica,         // until it writes, a transaction reads from a late replica
  SkewedClock,     // one session's snapshots are from before its last commit
  SnapshotTooNew,  // a SELECT behind the first sees what is there now
};

struct Kind {
  Fault fault;
  const char* name;
  unsigned one_in;  // statements, or transactions, that it may happen to
};
constexpr std::array kKinds = std::to_array<Kind>({
    {Fault::None, "none", 1},
    {Fault::StaleRead, "stale read", 100},
    {Fault::LostWrite, "lost write", 100},
    {Fault::MissingRow, "missing row", 100},
    {Fault::WrongSum, "wrong sum", 20},
    {Fault::Replica, "replica as primary", 20},
    {Fault::SkewedClock, "skewed clock", 4},
    {Fault::SnapshotTooNew, "snapshot too new", 3},
});
constexpr const char* kLevels[] = {"postgresql:read-committed",
                                   "postgresql:repeatable-read",
                                   "postgresql:serializable"};

bool starts(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// A session of which some answers are wrong.  `other` is a connection of its
/// own, whose snapshot is as old as the fault wants.
class ErringSession final : public db::Session {
 public:
  ErringSession(std::unique_ptr<db::Session> real,
                std::unique_ptr<db::Session> other, Kind kind,
                std::uint64_t seed, int& happened)
      : real_(std::move(real)),
        other_(std::move(other)),
        asked_(real_.get()),
        kind_(kind),
        random_(seed),
        happened_(happened) {
    is_skewed_ = seed % 8 == 0;
    look_again();
  }

  void send(const std::string& sql) override {
    const bool is_select = starts(sql, "SELECT") &&
                           sql.find("FOR UPDATE") == std::string::npos &&
                           sql.find("COMMIT") == std::string::npos;
    if (starts(sql, "BEGIN") || starts(sql, "START")) begin();
    if (is_select) ++selects_;
    if (starts(sql, "UPDATE")) has_written_ = true;
    asked_ = errs_elsewhere(is_select) ? other_.get() : real_.get();
    errs_ = errs_here(sql, is_select);
    if (asked_ == other_.get()) ++happened_;
    asked_->send(errs_ && kind_.fault == Fault::LostWrite
                     ? std::string("SELECT 1 WHERE false")
                     : sql);
    is_pending_ = true;
  }

  [[nodiscard]] bool is_answered() override { return asked_->is_answered(); }

  db::Answer receive() override {
    db::Answer answer = asked_->receive();
    is_pending_ = false;
    if (errs_ && answer.is_ok()) spoil(answer);
    errs_ = false;
    return answer;
  }

  [[nodiscard]] int socket() const override { return asked_->socket(); }
  [[nodiscard]] std::int64_t id() const override { return real_->id(); }

 private:
  bool happens() { return random_() % kind_.one_in == 0; }

  /// The snapshot of the other connection is that of now.
  void look_again() {
    if (kind_.fault == Fault::SnapshotTooNew) return;
    (void)other_->execute("ROLLBACK");
    (void)other_->execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
    (void)other_->execute("SELECT 1 FROM accounts LIMIT 1");
  }

  void begin() {
    selects_ = 0;
    has_written_ = false;
    reads_replica_ = kind_.fault == Fault::Replica && happens();
    is_late_ = kind_.fault == Fault::SkewedClock && is_skewed_ && happens();
    // A late one has the snapshot of when the transaction before it began.
    const unsigned age = kind_.fault == Fault::SkewedClock ? 1 : 20;
    if (!is_late_ && !reads_replica_ && ++begun_ % age == 0) look_again();
  }

  bool errs_elsewhere(bool is_select) {
    if (!is_select || has_written_) return false;
    switch (kind_.fault) {
      case Fault::StaleRead: return happens();
      case Fault::Replica: return reads_replica_;
      case Fault::SkewedClock: return is_late_;
      case Fault::SnapshotTooNew: return selects_ > 1 && happens();
      default: return false;
    }
  }

  bool errs_here(const std::string& sql, bool is_select) {
    switch (kind_.fault) {
      case Fault::LostWrite: return starts(sql, "UPDATE") && happens();
      case Fault::MissingRow: return is_select && happens();
      case Fault::WrongSum:
        return is_select && sql.find("sum(") != std::string::npos && happens();
      default: return false;
    }
  }

  void spoil(db::Answer& answer) {
    if (kind_.fault == Fault::LostWrite) {
      answer = {};
      answer.count = 1;
    } else if (answer.rows.empty() || !answer.rows[0][0]) {
      return;
    } else if (kind_.fault == Fault::MissingRow) {
      answer.rows.pop_back();
      --answer.count;
    } else {
      db::Cell& cell = answer.rows[0][0];
      cell = std::to_string(std::stoll(*cell) + 1);
    }
    ++happened_;
  }

  std::unique_ptr<db::Session> real_;
  std::unique_ptr<db::Session> other_;
  db::Session* asked_;
  Kind kind_;
  std::mt19937_64 random_;
  int& happened_;
  unsigned begun_ = 0;
  unsigned selects_ = 0;
  bool has_written_ = false;
  bool reads_replica_ = false;
  bool is_skewed_ = false;
  bool is_late_ = false;
  bool errs_ = false;
};

/// Records the bank on an erring server; how often it erred, or -1.
int record(Kind kind, const std::string& level, std::uint64_t transactions,
           std::uint64_t seed, const std::string& path) {
  verb::RecordRequest request;
  request.workload = "bank";
  request.db = "postgresql";
  request.level = level;
  request.scale = 20;
  request.transactions = transactions;
  request.seed = seed;
  request.output = path;
  auto file = db::LineFile::open(path);
  auto setup = verb::make_setup(request);
  if (!file || !setup) return -1;
  if (!verb::write_header((*setup)->header, nullptr, *file)) return -1;
  int happened = 0;
  std::uint64_t sessions = 0;
  db::RecordWorld world;
  world.connect = [&]() -> Result<std::unique_ptr<db::Session>> {
    auto real = (*setup)->connect();
    if (!real) return real.error();
    auto other = (*setup)->connect();
    if (!other) return other.error();
    return std::unique_ptr<db::Session>(std::make_unique<ErringSession>(
        std::move(*real), std::move(*other), kind, ++sessions, happened));
  };
  world.make_actor = (*setup)->make_actor;
  world.file = &*file;
  const auto counts = db::record((*setup)->plan, world);
  (*setup)->control.reset();
  (void)(*setup)->own->drop();
  return counts ? happened : -1;
}

/// The exit status of an audit of the first lines of a log.
int audit(const std::string& program, const std::string& log, std::size_t size,
          const std::string& level, double& seconds) {
  const std::string part = log + ".part";
  {
    std::ifstream in(log);
    std::ofstream out(part);
    std::string line;
    for (std::size_t i = 0; i <= size && std::getline(in, line); ++i)
      out << line << "\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string command = program + " audit " + part + " --level " + level +
                              " --timeout 10s > " + log + ".words 2>&1";
  const int ended = std::system(command.c_str());
  seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

void one(const std::string& program, const std::string& log, Kind kind,
         const std::string& level, std::uint64_t transactions,
         std::uint64_t seed) {
  const int happened = record(kind, level, transactions, seed, log);
  if (happened < 0) {
    std::printf("%-20s %-28s not recorded\n", kind.name, level.c_str());
    return;
  }
  // Strictly: what a client was told was over must be seen.
  for (const char* order : {" --order session", " --order realtime"}) {
    double seconds = 0;
    int status = 0;
    std::size_t size = 25;
    for (;; size *= 2) {
      size = std::min<std::size_t>(size, transactions);
      status = audit(program, log, size, level + order, seconds);
      if (status == 1 || size >= transactions) break;
    }
    std::printf("%-20s %-28s %-10s %6d  %-10s %6zu %8.2f\n", kind.name,
                level.c_str(), order + 9, happened,
                status == 0   ? "explained"
                : status == 1 ? "refuted"
                              : "undecided",
                size, seconds);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  const std::uint64_t transactions =
      count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 2000;
  const std::uint64_t seed =
      count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const std::string program =
      (fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
       "txscope")
          .string();
  const fs::path folder = fs::temp_directory_path() /
                          ("bench_faults." + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::printf("%-20s %-28s %-10s %6s  %-10s %6s %8s\n", "error", "level",
              "order", "times", "the log", "after", "seconds");
  for (const Kind& kind : kKinds)
    for (const char* level : kLevels)
      one(program, (folder / "log.jsonl").string(), kind, level, transactions,
          seed);
  fs::remove_all(folder);
  return 0;
}
