#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace txscope::cli {

/// Where one report goes: `--format F [-o FILE]`.
struct Output {
  std::string format = "text";
  std::string file;  ///< empty: standard output
};

/// What is asked of what.
struct Question {
  std::string input;                ///< the first, if a verb takes several
  std::vector<std::string> inputs;  ///< all, for verbs that take several
  std::string command;              ///< the whole call, as a shell takes it
  std::string level;
  std::string dialect;
  std::string order;
  std::string input_format;
  bool judge_aborted = false;
  std::vector<std::string> initial;  ///< KEY=VALUE
  bool certify = false;
};

/// How much may be spent on it.
struct Effort {
  std::string timeout;
  std::string memory;
  std::uint64_t jobs = 1;
  std::uint64_t seed = 1;
  std::uint64_t loop_bound = 1000;
};

/// What is told, to whom, and what makes a shell stop.
struct Telling {
  std::vector<Output> outputs;
  std::string colour = "auto";
  bool quiet = false;
  bool evidence = false;
  std::string fail_on;
  std::string baseline;
  std::string write_baseline;
  bool allow_vacuous = false;
};

struct ExploreOptions {
  std::string algorithm;
  bool all = false;
  bool self_check = false;
  bool outcomes = false;
  bool count = false;
  std::string histories;
};

/// An application as it is found, or lifted from a log.
struct AnalyzeOptions {
  std::vector<std::string> before;
  bool fix = false;
  std::string log;
  std::string log_format;
  double gap = 2;
  bool one_user = false;
  std::vector<std::string> without;
  bool whole_requests = false;
};

struct AuditOptions {
  bool skip_unsupported = false;
  bool allow_skipped = false;
  std::string log_times;
  bool follow = false;  ///< the log is still written
  std::string state;    ///< where an audit stands
};

struct RobustOptions {
  std::string against;
  std::string notion;
  std::string granularity;
  std::string method;
  bool allocate = false;
  bool no_repairs = false;
};

struct VerifyOptions {
  bool inductive = false;
  std::string levels_needed;
  std::string integers;
};

struct ModelOptions {
  std::string config;
  std::string include;
  std::uint64_t depth = 0;
  bool translate = false;
  std::uint64_t processes = 0;
  std::string disk;
  std::uint64_t simulate = 0;
  bool no_deadlock = false;
  bool literal = false;
  bool all_values = false;
  bool coverage = false;
  std::string dump;
  std::string tlc_trace;
  std::string checkpoint;
  std::string resume;
};

/// Histories that are made or written.
struct GenerateOptions {
  std::string to;  ///< of convert
  std::uint64_t sessions = 20;
  std::uint64_t transactions = 10000;
  std::string operations = "8";
  std::uint64_t keys = 10000;
  double reads = 0.5;
  std::string distribution = "uniform";
  bool lists = false;
  std::uint64_t values = 0;
  double aborted = 0;
  double unknown = 0;
  bool no_times = false;
  std::uint64_t replicas = 4;
  std::string plant;
  std::string allowed_by;
  std::string forbidden_by;
};

struct RecordOptions {
  static constexpr std::uint64_t kNotSaid = ~std::uint64_t{0};

  std::string workload;
  std::string db;
  std::string proxy;
  std::uint64_t clients = kNotSaid;
  std::uint64_t retries = 0;
  double rate = 0;
  std::string schema = "txscope";
  bool drop = false;
  bool keep = false;
  bool force = false;
  bool redact = false;
  bool stored = false;
  bool random_arguments = false;
  std::uint64_t scale = 0;
  double rows_accessed = 1.0;
  double blind_writes = 0.0;
  double read_only = 0.2;
  std::uint64_t record_keys = 100;
  std::string record_operations = "1..6";
};

/// Of race and replay.
struct RaceOptions {
  std::vector<std::string> requests;
  std::vector<std::string> rules;
  std::vector<std::string> ignored;
  std::vector<std::string> gave_up;
  std::vector<std::string> environment;
  std::string serve;
  std::string reset;
  std::string emit;  ///< replay: the form of a script; analyze: a file
  std::uint64_t times = 1;
  double request_timeout = 30;
  bool no_reduction = false;
  bool in_place = false;
  std::uint64_t schedules = 0;
  std::uint64_t race_jobs = 0;
};

/// Everything a call can say.  Which fields a verb uses is in the table of
/// option_table.cpp; a verb never sees an option that it does not have.
struct Options : Question,
                 Effort,
                 Telling,
                 ExploreOptions,
                 AnalyzeOptions,
                 AuditOptions,
                 RobustOptions,
                 VerifyOptions,
                 ModelOptions,
                 GenerateOptions,
                 RecordOptions,
                 RaceOptions {};

using Field =
    std::variant<bool Options::*, std::uint64_t Options::*, double Options::*,
                 std::string Options::*, std::vector<std::string> Options::*>;

/// What a number may be; without limits it is for a seed, or no number.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// One option: from this table come the parser, the help and the manual.
struct OptionRow {
  std::string_view verbs;  ///< "check convert", the verbs that have it
  std::string_view name;   ///< "--level"
  Field field;
  std::string_view argument;  ///< "" for a flag
  std::string_view help;
  Range range = {};
};

struct Verb {
  std::string_view name;
  std::string_view input;  ///< "FILE", "[NAME]"; "" if the verb has none;
                           ///< "FILE.." if it takes several
  std::string_view summary;
  std::string_view formats;  ///< report formats it has
  std::string_view example;
  int (*run)(const Options&);
};

[[nodiscard]] std::span<const OptionRow> option_table();
[[nodiscard]] std::span<const Verb> verb_table();

/// A parsed call, or what it asked to be told instead (help, version).
struct Call {
  const Verb* verb = nullptr;  ///< null: print `text` and exit 0
  Options options;
  std::string text;
};
[[nodiscard]] Result<Call> parse_call(std::span<const char* const> arguments);

}  // namespace txscope::cli
