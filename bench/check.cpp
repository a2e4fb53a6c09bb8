// How long `check` takes, reading included, and how much memory.
//
//     bench_check [--rows TEXT] [--levels L,L,...] [--max-transactions N]
//                 [--timeout SECONDS] [--runs N] [--format jsonl|plume]
//                 [FILE...]
//
// Without files: histories of simulated databases, see kShapes.  --rows takes
// those whose name contains one of the words of TEXT (separated by commas).
// Every measurement runs in a process of its own, so that its peak memory is
// its own; of several --runs the fastest counts.  Times are processor seconds.
// The last column says how many times the whole, reading included, goes into
// what AWDIT 0.2.1 needs for the checking alone on the same kind of machine.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "check/check.h"
#include "choices.h"
#include "generate/mutate.h"
#include "generate/simulate.h"
#include "read/histories/history_source.h"
#include "read/writers/write_history.h"

namespace {

using namespace txscope;
/// Processor time of this process: other work on the machine does not count,
/// and everything measured here runs on one thread.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// A history to generate, and what may be planted into it.  Without operations
/// it is a random instance of the problem that NP-hardness is shown by, see
/// generate_choices().
struct Shape {
  const char* name;
  std::uint32_t transactions;
  std::uint32_t sessions;
  std::uint32_t operations;
  std::uint32_t keys;
  double read_share = 0.5;
  bool is_hot = false;  // zipf 0.99
  KeyKind kind = KeyKind::Register;
  Base store = Base::Serializable;
  std::optional<generate::Mutation> planted = {};
  std::uint32_t values = 0;  // different ones per key; 0: each is written once
  double unknown_share = 0;
};

constexpr auto kLists = KeyKind::List;
constexpr auto kRegisters = KeyKind::Register;
constexpr auto kSerial = Base::Serializable;

const std::vector<Shape> kShapes = {
    {"general-10k", 10'000, 20, 8, 10'000},
    {"general-14k", 13'870, 20, 23, 10'000},
    {"general-104k", 103'763, 20, 8, 100'000},
    {"general-1m", 1'000'000, 20, 8, 1'000'000},
    {"general-3m", 3'000'000, 20, 8, 3'000'000},
    {"few-keys-10k", 10'000, 20, 8, 1'000},
    {"few-keys-100k", 100'000, 20, 8, 1'000},
    {"zipf-10k", 10'000, 20, 8, 10'000, 0.5, true},
    {"zipf-100k", 100'000, 20, 8, 100'000, 0.5, true},
    {"zipf-1m", 1'000'000, 20, 8, 1'000'000, 0.5, true},
    {"read-mostly-100k", 100'000, 20, 8, 10'000, 0.9},
    {"write-heavy-100k", 100'000, 20, 8, 10'000, 0.1},
    {"write-only-100k", 100'000, 20, 8, 10'000, 0.0},
    {"long-sessions-100k", 100'000, 2, 8, 100'000},
    {"many-sessions-10k", 10'000, 1'000, 8, 10'000},
    {"many-sessions-100k", 100'000, 1'000, 8, 100'000},
    {"lists-10k", 10'000, 20, 8, 100, 0.5, false, kLists},
    {"lists-100k", 100'000, 20, 8, 1'000, 0.5, false, kLists},
    {"snapshot-10k", 10'000, 20, 8, 1'000, 0.5, false, kRegisters,
     Base::SnapshotIsolation},
    {"snapshot-100k", 100'000, 20, 8, 10'000, 0.5, false, kRegisters,
     Base::SnapshotIsolation},
    {"causal-100k", 100'000, 20, 8, 10'000, 0.5, false, kRegisters,
     Base::Causal},
    {"aborted-read-100k", 100'000, 20, 8, 100'000, 0.5, false, kRegisters,
     kSerial, generate::Mutation::AbortedRead},
    {"fractured-read-100k", 100'000, 20, 8, 100'000, 0.5, false, kRegisters,
     kSerial, generate::Mutation::FracturedRead},
    {"causality-100k", 100'000, 20, 8, 100'000, 0.5, false, kRegisters, kSerial,
     generate::Mutation::CausalityViolation},
    {"long-fork-100k", 100'000, 20, 8, 100'000, 0.5, false, kRegisters, kSerial,
     generate::Mutation::LongFork},
    {"lost-update-100k", 100'000, 20, 8, 100'000, 0.5, false, kRegisters,
     kSerial, generate::Mutation::LostUpdate},
    {"write-skew-100k", 100'000, 20, 8, 100'000, 0.5, false, kRegisters,
     kSerial, generate::Mutation::WriteSkew},
    {"repeated-4k", 4'000, 20, 8, 1'000, 0.5, false, kRegisters, kSerial,
     std::nullopt, 10},
    {"repeated-10k", 10'000, 20, 8, 1'000, 0.5, false, kRegisters, kSerial,
     std::nullopt, 10},
    {"repeated-100k", 100'000, 20, 8, 1'000, 0.5, false, kRegisters, kSerial,
     std::nullopt, 10},
    {"choices-300", 300, 300, 0, 600},
    {"choices-500", 500, 500, 0, 950},
    {"choices-1000", 1'000, 1'000, 0, 1'800},
    {"dense-20", 20, 5, 4, 3, 0.5, false, kRegisters, kSerial, std::nullopt, 3,
     0.1},
    {"dense-60", 60, 5, 4, 3, 0.5, false, kRegisters, kSerial, std::nullopt, 3,
     0.1},
    {"dense-broken-20", 20, 5, 4, 3, 0.5, false, kRegisters,
     Base::ReadCommitted, std::nullopt, 3, 0.1},
    {"dense-broken-40", 40, 5, 4, 3, 0.5, false, kRegisters,
     Base::ReadCommitted, std::nullopt, 3, 0.1},
    {"dense-broken-60", 60, 5, 4, 3, 0.5, false, kRegisters,
     Base::ReadCommitted, std::nullopt, 3, 0.1},
};

/// See choices.h.  Four and a quarter clauses per variable are the hardest.
struct Choices {
  const char* name;
  std::uint32_t variables;
  std::uint32_t clauses;
};
constexpr Choices kChoices[] = {
    {"choices-20x60", 20, 60},         {"choices-20x90", 20, 90},
    {"choices-30x128", 30, 128},       {"choices-100x300", 100, 300},
    {"choices-1000x1500", 1000, 1500}, {"choices-40x170", 40, 170},
    {"choices-60x255", 60, 255},       {"choices-80x340", 80, 340},
    {"choices-100x425", 100, 425},
};

/// What AWDIT 0.2.1 needs to check a history of this size, or nothing.
struct Rival {
  const char* row;
  Base base;
  double seconds;
};
constexpr Rival kAwdit[] = {
    {"general-10k", Base::MonotonicAtomicView, 0.10},
    {"general-10k", Base::ReadAtomic, 0.11},
    {"general-10k", Base::Causal, 0.19},
    {"general-14k", Base::MonotonicAtomicView, 0.18},
    {"general-14k", Base::ReadAtomic, 0.29},
    {"general-14k", Base::Causal, 0.52},
    {"general-104k", Base::MonotonicAtomicView, 0.6},
    {"general-104k", Base::ReadAtomic, 1.1},
    {"general-104k", Base::Causal, 2.3},
};

struct Arguments {
  std::vector<std::string> rows;
  std::vector<Level> levels;
  std::uint32_t max_transactions = 200'000;
  double timeout = 300;
  int runs = 1;
  read::WriteFormat format = read::WriteFormat::Jsonl;
  std::vector<std::string> files;
};

/// What one process measures; sent through a pipe.
struct Measurement {
  double parse = 0;
  double check = 0;
  double megabytes = 0;
  std::uint64_t transactions = 0;
  std::uint64_t operations = 0;
  Outcome outcome = Outcome::Undecided;
  bool is_read = false;
};

/// Runs `work` in a child; its result, or nothing if it died.
template <class Work>
std::optional<Measurement> in_child(const Work& work) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const Measurement measured = work();
    const auto written = write(ends[1], &measured, sizeof measured);
    _exit(written == sizeof measured ? 0 : 1);
  }
  close(ends[1]);
  Measurement measured;
  const bool has_answer =
      read(ends[0], &measured, sizeof measured) == sizeof measured;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!has_answer) return std::nullopt;
  return measured;
}

// A polygraph (Papadimitriou, JACM 1979): of each key one transaction reads
// what an earlier one wrote, and a third one writes it, too, which so is before
// the one or after the other.  Each transaction is a session.  With somewhat
// less than two keys per transaction there barely is an order.
bool generate_choices(const Shape& shape, const std::string& path) {
  std::vector<std::string> ops(shape.transactions);
  Random random(1);
  const auto add = [&](std::uint64_t t, const char* op, std::uint32_t key,
                       int value) {
    if (!ops[t].empty()) ops[t] += ',';
    ops[t] += "[\"" + std::string(op) + "\"," + std::to_string(key) + "," +
              std::to_string(value) + "]";
  };
  for (std::uint32_t key = 0; key < shape.keys; ++key) {
    std::uint64_t writer = 0;
    std::uint64_t reader = 0;
    std::uint64_t other = 0;
    while (writer >= reader || other == writer || other == reader) {
      writer = random.below(shape.transactions);
      reader = random.below(shape.transactions);
      other = random.below(shape.transactions);
    }
    add(writer, "w", key, 1);
    add(reader, "r", key, 1);
    add(other, "w", key, 2);
  }
  std::ofstream out(path, std::ios::binary);
  for (std::size_t t = 0; t < ops.size(); ++t)
    out << "{\"session\":" << t << ",\"ops\":[" << ops[t] << "]}\n";
  return out.good();
}

bool read::write_history(const Shape& shape, read::WriteFormat format,
                         const std::string& path) {
  if (shape.operations == 0) return generate_choices(shape, path);
  generate::Simulation s;
  s.level = {shape.store, Order::Session};
  s.has_times = false;
  s.workload.transactions = shape.transactions;
  s.workload.sessions = shape.sessions;
  s.workload.min_operations = s.workload.max_operations = shape.operations;
  s.workload.keys = shape.keys;
  s.workload.read_share = shape.read_share;
  s.workload.kind = shape.kind;
  s.workload.max_list_length = 32;
  s.workload.distinct_values = shape.values;
  s.workload.unknown_share = shape.unknown_share;
  if (shape.is_hot)
    s.workload.key_choice.kind = generate::KeyChoice::Kind::Zipf;
  Result<History> history = generate::simulate(s);
  if (!history) return false;
  if (shape.planted) {
    Result<generate::Mutant> mutant =
        generate::mutate(*history, *shape.planted, 1);
    if (!mutant) return false;
    history = std::move(mutant->history);
  }
  std::ofstream out(path, std::ios::binary);
  const auto notes =
      read::write_history(*history, format, [&](std::string_view text) {
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
      });
  return notes && out.good();
}

Measurement measure(const std::string& path, Level level, double timeout) {
  Measurement m;
  const double start = processor_seconds();
  auto source = read::open_history(path, {});
  if (!source) return m;
  auto history = (*source)->next();
  if (!history || !*history) return m;
  m.parse = processor_seconds() - start;
  m.is_read = true;
  m.transactions = (*history)->size() - 1;
  m.operations = (*history)->ops().size();
  const double checking = processor_seconds();
  const Budget budget(Budget::Limits{
      std::chrono::milliseconds(static_cast<long long>(timeout * 1000)), {}});
  m.outcome = check::check(**history, level, budget).outcome();
  m.check = processor_seconds() - checking;
  m.megabytes = static_cast<double>(peak_memory()) / (1 << 20);
  return m;
}

void print_row(const std::string& row, Level level, const Measurement& m) {
  const double total = m.parse + m.check;
  std::printf("%-22s %9llu %9llu  %-27s %-9s %7.3f %8.3f %8.3f %6.0f",
              row.c_str(), static_cast<unsigned long long>(m.transactions),
              static_cast<unsigned long long>(m.operations),
              std::string(name(level.base)).c_str(),
              std::string(name(m.outcome)).c_str(), m.parse, m.check, total,
              m.megabytes);
  for (const Rival& rival : kAwdit)
    if (row == rival.row && level.base == rival.base)
      std::printf("  %5.1fx", rival.seconds / total);
  std::printf("\n");
  std::fflush(stdout);
}

void run_file(const std::string& row, const std::string& path,
              const Arguments& arguments) {
  for (const Level level : arguments.levels) {
    std::optional<Measurement> best;
    for (int run = 0; run < arguments.runs; ++run) {
      const auto m =
          in_child([&] { return measure(path, level, arguments.timeout); });
      if (m && m->is_read &&
          (!best || m->parse + m->check < best->parse + best->check))
        best = m;
    }
    if (best)
      print_row(row, level, *best);
    else
      std::printf("%-22s %s: failed\n", row.c_str(), describe(level).c_str());
  }
}

bool is_wanted(const char* row, const Arguments& arguments) {
  if (arguments.rows.empty()) return true;
  for (const std::string& word : arguments.rows)
    if (std::strstr(row, word.c_str()) != nullptr) return true;
  return false;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    words.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return words;
}

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "bench_check: %s\n", what.c_str());
  std::exit(2);
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  std::string levels =
      "monotonic-atomic-view,read-atomic,causal,prefix,"
      "parallel-snapshot-isolation,snapshot-isolation,serializable";
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (!option.starts_with("--")) {
      arguments.files.push_back(option);
      continue;
    }
    if (i + 1 == argc) refuse(option + " needs a value");
    const std::string value = argv[++i];
    if (option == "--rows") {
      arguments.rows = split(value);
    } else if (option == "--levels") {
      levels = value;
    } else if (option == "--max-transactions") {
      arguments.max_transactions =
          static_cast<std::uint32_t>(std::stoul(value));
    } else if (option == "--timeout") {
      arguments.timeout = std::stod(value);
    } else if (option == "--runs") {
      arguments.runs = std::stoi(value);
    } else if (option == "--format") {
      const auto format = read::parse_write_format(value);
      if (!format) refuse(format.error().what);
      arguments.format = *format;
    } else {
      refuse("there is no option " + option);
    }
  }
  for (const std::string& word : split(levels)) {
    const auto level = parse_level(word);
    if (!level) refuse(level.error().what);
    arguments.levels.push_back(
        {level->base, level->order.value_or(Order::Session)});
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  return_freed_memory();
  const Arguments arguments = parse(argc, argv);
  std::printf("%-22s %9s %9s  %-27s %-9s %7s %8s %8s %6s  %6s\n", "row", "txns",
              "ops", "level", "verdict", "parse s", "check s", "total s", "MB",
              "AWDIT");
  for (const std::string& file : arguments.files)
    run_file(std::filesystem::path(file).filename(), file, arguments);
  if (!arguments.files.empty()) return 0;
  const std::string path = std::filesystem::temp_directory_path() /
                           ("txscope-bench-" + std::to_string(getpid()));
  for (const Choices& row : kChoices) {
    if (!is_wanted(row.name, arguments)) continue;
    std::ofstream(path) << choices_history(row.variables, row.clauses, 1);
    run_file(row.name, path, arguments);
  }
  for (const Shape& shape : kShapes) {
    if (!is_wanted(shape.name, arguments) ||
        shape.transactions > arguments.max_transactions)
      continue;
    const auto made = in_child([&] {
      Measurement m;
      m.is_read = read::write_history(shape, arguments.format, path);
      return m;
    });
    if (!made || !made->is_read)
      refuse(std::string(shape.name) + " could not be generated");
    run_file(shape.name, path, arguments);
  }
  std::filesystem::remove(path);
  return 0;
}
