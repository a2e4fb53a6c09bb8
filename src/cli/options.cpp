#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/suggest.h"
#include "cli/diagnostics.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "report/wrap.h"

namespace txscope::cli {
namespace {

constexpr auto kOptionTable = std::to_array<OptionRow>({
    {"check", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels to decide, or all (the default)"},
    {"explore", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels to run the program at, or all; an application in SQL "
     "also at an engine's: postgresql:read-committed, mariadb (all of its "
     "levels). Default: all; of SQL those of PostgreSQL"},
    {"audit", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels that the log is held against, or all; also what a "
     "product does, as postgresql:read-committed. Default: what the log "
     "claims"},
    {"audit", "--skip-unsupported", &Options::skip_unsupported, "",
     "leave out statements that are not supported, and what they touch"},
    {"audit", "--evidence", &Options::evidence, "",
     "with the commit order that explains the log (JSON)"},
    {"verify", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels to decide at, or all (the default)"},
    {"verify", "--levels-needed", &Options::levels_needed, "LEVEL",
     "which transactions need serializable if the others run at LEVEL"},
    {"verify", "--integers", &Options::integers, "KIND",
     "bounded (default: as the language has them, overflow is an error) or "
     "unbounded"},
    {"verify", "--inductive", &Options::inductive, "",
     "from any initial values for which the invariants hold"},
    {"verify", "--evidence", &Options::evidence, "",
     "JSON: of what holds, SMT-LIB 2 text that any solver finds "
     "unsatisfiable"},
    {"check", "--all", &Options::all, "",
     "every kind of anomaly at every level, how often, and its smallest "
     "instance; what the history has in it"},
    {"explore", "--all", &Options::all, "",
     "do not stop at the first violation: decide and count every property"},
    {"check", "--jobs", &Options::jobs, "N",
     "threads: several files, histories of a file and levels at once, and "
     "reading ahead; default 1"},
    {"explore verify", "--jobs", &Options::jobs, "N",
     "threads; not at an engine's level"},
    {"explore verify", "--loop-bound", &Options::loop_bound, "N",
     "rounds that a loop may take each time; default 1000"},
    {"explore", "--histories", &Options::histories, "FILE",
     "write every history, for 'txscope check'; not at an engine's level"},
    {"explore", "--outcomes", &Options::outcomes, "",
     "list how executions of a .txn program can end, each with the number of "
     "histories: what the conditions look at, or all variables"},
    {"explore", "--algorithm", &Options::algorithm, "NAME",
     "dpor (the default), or dfs: the naive search, to compare"},
    {"explore", "--self-check", &Options::self_check, "",
     "remember every history and count those found twice"},
    {"robust", "--against", &Options::against, "LEVEL|PROFILE",
     "the level to leave serializable for; of SQL also an engine's: "
     "postgresql:read-committed. Default: snapshot-isolation"},
    {"robust", "--notion", &Options::notion, "NOTION",
     "what 'as if serializable' means: trace (the default), view, history, "
     "outcome (the default at an engine's level) or state"},
    {"robust", "--granularity", &Options::granularity, "G",
     "what is read and written: row, column or result; default the finest "
     "that the method has"},
    {"robust", "--method", &Options::method, "M",
     "search (of the sessions in the file, exact), proof (any number of "
     "sessions and any arguments) or auto (the default)"},
    {"robust", "--allocate", &Options::allocate, "",
     "the weakest level of every transaction such that every mix is "
     "serializable"},
    {"robust", "--no-repairs", &Options::no_repairs, "",
     "do not look for changes that make it robust"},
    {"robust", "--loop-bound", &Options::loop_bound, "N",
     "rounds that a loop may take each time; default 1000"},
    {"generate", "--level", &Options::level, "LEVEL",
     "what the simulated database guarantees; default serializable"},
    {"check generate audit", "--order", &Options::order, "ORDER",
     "none, session (the default) or realtime"},
    {"check convert", "--input-format", &Options::input_format, "FORMAT",
     "read the input as this format instead of looking at it"},
    {"check convert audit", "--judge-aborted", &Options::judge_aborted, "",
     "the reads of aborted transactions must be explained, too"},
    {"check explore", "--certify", &Options::certify, "",
     "re-check every verdict from the definitions, every counterexample by "
     "replay, engines against serial runs; explore says what was done"},
    {"audit", "--follow", &Options::follow, "",
     "the log is still written: audit what comes, until a signal, --timeout, "
     "or "
     "something that cannot be explained"},
    {"audit", "--state", &Options::state, "FILE",
     "go on where this file says an audit of the log stood, and write there "
     "where this one stands at its end"},
    {"audit", "--certify", &Options::certify, "",
     "run what is explained again in the order found, and say so; the log is "
     "kept in memory"},
    {"check", "--evidence", &Options::evidence, "",
     "JSON: the commit order, writers and outcomes of what holds"},
    {"check explore verify robust audit generate model", "--timeout",
     &Options::timeout, "TIME", "give up after this long: 500ms, 60s, 5m"},
    {"check explore verify robust audit generate model", "--memory",
     &Options::memory, "SIZE", "give up beyond this much memory: 500M, 8G"},
    {"convert generate", "--to", &Options::to, "FORMAT",
     "jsonl, edn or plume; else by the extension of -o"},
    {"generate", "--sessions", &Options::sessions, "N", "sessions"},
    {"generate", "--transactions", &Options::transactions, "N",
     "transactions in all"},
    {"generate", "--operations", &Options::operations, "N|A..B",
     "operations in each transaction"},
    {"generate", "--keys", &Options::keys, "N", "keys"},
    {"generate", "--reads", &Options::reads, "SHARE",
     "share of operations that read, 0 to 1"},
    {"generate", "--distribution", &Options::distribution, "D",
     "uniform, zipf, zipf:0.99 or hotspot"},
    {"generate", "--lists", &Options::lists, "",
     "append to lists instead of writing registers"},
    {"generate", "--values", &Options::values, "N",
     "write only N different values; 0: every value once"},
    {"generate", "--aborted", &Options::aborted, "SHARE",
     "share of transactions that abort"},
    {"generate", "--unknown", &Options::unknown, "SHARE",
     "share of transactions whose outcome nobody knows"},
    {"generate", "--no-times", &Options::no_times, "",
     "leave out start and end times"},
    {"generate", "--replicas", &Options::replicas, "N",
     "copies of the data, where the level allows them to differ"},
    {"generate", "--plant", &Options::plant, "ANOMALY",
     "change the history so that it has this anomaly"},
    {"generate", "--allowed-by", &Options::allowed_by, "LEVEL",
     "with --forbidden-by: a smallest history that tells two levels apart"},
    {"generate", "--forbidden-by", &Options::forbidden_by, "LEVEL",
     "see --allowed-by"},
    {"generate", "--seed", &Options::seed, "N",
     "the same seed gives the same history"},
    {"explore", "--seed", &Options::seed, "N", "of the estimate"},
    {"record", "--workload", &Options::workload, "NAME|FILE",
     "bank, twitter, rubis, tpcc, fuzz; register, list-append: a history for "
     "'txscope check'; or an application in SQL, whose procedures are called"},
    {"record", "--db", &Options::db, "URI",
     "postgresql://.., mariadb://.. or sqlite:FILE, without a password; "
     "TXSCOPE_DB may hold it, too. Only a product's name, or nothing: a "
     "private server that goes afterwards"},
    {"record", "--level", &Options::level, "LEVEL",
     "the level of the transactions: postgresql:repeatable-read, "
     "mariadb:serializable, snapshot-isolation; default the product's own"},
    {"record", "--proxy", &Options::proxy, "HOST:PORT",
     "no workload: listen there, pass everything on to the PostgreSQL of --db, "
     "and record it"},
    {"record", "--clients", &Options::clients, "N",
     "default 8; of a proxy at most so many connections at a time, default "
     "100"},
    {"record", "--transactions", &Options::transactions, "N",
     "in all; default 10000"},
    {"record", "--seed", &Options::seed, "N",
     "the same seed chooses the same transactions"},
    {"record", "--retries", &Options::retries, "N",
     "of a transaction after a serialization failure or deadlock; default 0"},
    {"record", "--rate", &Options::rate, "N",
     "at most that many transactions per second"},
    {"record", "--timeout", &Options::timeout, "TIME",
     "stop after this long: 60s, 5m"},
    {"record", "--schema", &Options::schema, "NAME",
     "the schema to make and to work in; default txscope"},
    {"record", "--drop", &Options::drop, "",
     "drop what is in that schema first"},
    {"record", "--keep", &Options::keep, "", "leave the schema there"},
    {"record", "--redact", &Options::redact, "",
     "replace texts by tokens that are equal and ordered as they were"},
    {"record", "--stored", &Options::stored, "",
     "PostgreSQL runs the procedures: a CALL is one statement"},
    {"record", "--random-arguments", &Options::random_arguments, "",
     "of a FILE: all procedures, with arguments by chance"},
    {"record", "--scale", &Options::scale, "N",
     "accounts, users; of tpcc items"},
    {"record", "--rows-accessed", &Options::rows_accessed, "SHARE",
     "bank: share of the accounts in use; default 1"},
    {"record", "--blind-writes", &Options::blind_writes, "SHARE",
     "bank: share of writing transactions that read nothing; default 0"},
    {"record", "--read-only", &Options::read_only, "SHARE",
     "bank: share of transactions that only read; default 0.2"},
    {"record", "--keys", &Options::record_keys, "N",
     "register, list-append, fuzz: rows; default 100"},
    {"record", "--operations", &Options::record_operations, "N|A..B",
     "register, list-append, fuzz: operations in a transaction; default 1..6"},
    {"record", "--reads", &Options::reads, "SHARE",
     "register, list-append, fuzz: share of operations that read; default 0.5"},
    {"model", "--config", &Options::config, "FILE",
     "the configuration; default the .cfg beside the specification"},
    {"model", "-I,--include", &Options::include, "DIR[:DIR..]",
     "look for modules there, too"},
    {"model", "--jobs", &Options::jobs, "N", "threads; default 1"},
    {"model", "--depth", &Options::depth, "N",
     "stop after N breadth-first levels"},
    {"model", "--simulate", &Options::simulate, "N",
     "N random behaviours of at most --depth states (default 100)"},
    {"model", "--seed", &Options::seed, "N", "of whatever is random"},
    {"model", "--no-deadlock", &Options::no_deadlock, "",
     "a state without a next one is no mistake"},
    {"model", "--all-values", &Options::all_values, "",
     "show every variable of every state of a trace"},
    {"model", "--coverage", &Options::coverage, "",
     "how often each action was taken and each line evaluated"},
    {"model", "--dump", &Options::dump, "FILE",
     "write all states and steps there: .dot or .json by its ending"},
    {"model", "--trace", &Options::tlc_trace, "FILE.json",
     "write a violating behaviour there, as TLC's -dumpTrace json does"},
    {"model", "--checkpoint", &Options::checkpoint, "FILE",
     "where to put a search that a budget or Ctrl-C ends"},
    {"model", "--resume", &Options::resume, "FILE",
     "go on from there, if the specification is the same"},
    {"model", "--literal", &Options::literal, "",
     "evaluate the levels of module Txscope as they are written"},
});

constexpr auto kVerbTable = std::to_array<Verb>({
    {"check", "FILE..",
     "is this observed history allowed at an isolation level?", "text json dot",
     "txscope check history.edn --level snapshot-isolation", &run_check},
    {"explore", "FILE", "what can these transactions do at a level?",
     "text json dot",
     "txscope explore bank.sql --level postgresql:read-committed",
     &run_explore},
    {"audit", "LOG",
     "did the database answer these SQL transactions correctly?", "text json",
     "txscope audit log.jsonl --level snapshot-isolation", &run_audit},
    {"verify", "FILE", "can a rule break at a level, for any input?",
     "text json dot", "txscope verify bank.txn --level snapshot-isolation",
     &run_verify},
    {"robust", "FILE", "may these transactions leave serializable?",
     "text json dot", "txscope robust smallbank.sql", &run_robust},
    {"convert", "FILE", "translate a history into another format", "",
     "txscope convert history.edn -o history.jsonl", &run_convert},
    {"generate", "", "make a history", "",
     "txscope generate --sessions 20 --transactions 10000 -o h.jsonl",
     &run_generate},
    {"record", "", "run a workload on a real database and write what it saw",
     "",
     "txscope record --workload bank --level postgresql:repeatable-read -o "
     "log.jsonl",
     &run_record},
    {"model", "SPEC", "does a TLA+ specification keep its properties?",
     "text json dot", "txscope model Protocol.tla --jobs 2", &run_model},
    {"explain", "[NAME..]", "say what a level, anomaly or term means",
     "text json", "txscope explain write-skew", &run_explain},
});

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

void add_option(CLI::App& app, const OptionRow& row, Options& options) {
  const std::string name(row.name);
  const std::string help(row.help);
  std::visit(
      [&](auto member) {
        auto& target = options.*member;
        using Target = std::remove_reference_t<decltype(target)>;
        if constexpr (std::is_same_v<Target, bool>) {
          app.add_flag(name, target, help);
        } else if constexpr (std::is_same_v<Target, std::uint64_t>) {
          const auto read = [&target, name](const std::string& text) {
            const char* end = text.data() + text.size();
            const auto [rest, error] =
                std::from_chars(text.data(), end, target);
            if (error == std::errc() && rest == end) return;
            const bool is_large = error == std::errc::result_out_of_range;
            throw CLI::ConversionError(
                name + ": '" + text + "' " +
                (is_large ? "is too large" : "is no number"));
          };
          app.add_option_function<std::string>(name, read, help)
              ->option_text(std::string(row.argument));
        } else {
          app.add_option(name, target, help)
              ->option_text(std::string(row.argument));
        }
      },
      row.field);
}

void add_input(CLI::App& app, const Verb& verb, Options& options) {
  const bool is_optional = verb.input.front() == '[';
  const std::string help = is_optional            ? "what to look up"
                           : verb.input == "SPEC" ? "the module to read"
                                                  : "the file or directory to "
                                                    "read; - is standard input";
  const bool has_many = verb.input.find("..") != std::string_view::npos;
  CLI::Option* input = has_many ? app.add_option("INPUT", options.inputs, help)
                                : app.add_option("INPUT", options.input, help);
  input->option_text(std::string(verb.input));
  if (!is_optional) input->required();
}

// "--format json -o a.json --format text" is two outputs: a file belongs to
// the format before it.
std::vector<Output> pair_outputs(const CLI::App& app, const CLI::Option* format,
                                 const CLI::Option* file) {
  std::vector<Output> outputs;
  std::size_t formats = 0;
  std::size_t files = 0;
  for (const CLI::Option* seen : app.parse_order()) {
    if (seen == format) {
      outputs.push_back({format->results()[formats++], ""});
    } else if (seen == file) {
      const std::string name = file->results()[files++];
      if (outputs.empty() || !outputs.back().file.empty())
        outputs.push_back({"", name});
      else
        outputs.back().file = name;
    }
  }
  if (outputs.empty()) outputs.push_back({"", ""});
  return outputs;
}

std::string help_of(const Verb& verb, const CLI::App& app) {
  return app.help() + "\nExample:\n  " + std::string(verb.example) + "\n";
}

std::string general_help() {
  std::string text =
      "txscope sees through database transactions.\n\n"
      "Usage: txscope VERB [INPUT] [options]\n\nVerbs:\n";
  for (const Verb& verb : kVerbTable) {
    std::string name(verb.name);
    name.resize(12, ' ');
    text += "  " + name + std::string(verb.summary) + "\n";
  }
  text +=
      "\n`txscope VERB --help` has the options of a verb and an example.\n"
      "Exit status: 0 it holds, 1 it is violated, 2 the input or the call is\n"
      "wrong, 3 undecided.\n";
  return text;
}

Result<Done> check_formats(const Verb& verb, std::vector<Output>& outputs) {
  for (Output& output : outputs) {
    if (output.format.empty()) output.format = "text";
    if (verb.formats.empty() || has_word(verb.formats, output.format)) continue;
    return wrong_call("'" + std::string(verb.name) + "' has no format '" +
                          output.format + "'",
                      "its formats are: " + std::string(verb.formats));
  }
  return Done{};
}

// The option that an unknown one was probably meant to be.
std::string option_suggestion(const Verb& verb,
                              std::span<const char* const> words) {
  std::vector<std::string> names = {"--format", "--output", "--help"};
  for (const OptionRow& row : kOptionTable) {
    if (!has_word(row.verbs, verb.name)) continue;
    const std::size_t comma = row.name.find(',');
    names.emplace_back(
        row.name.substr(comma == std::string_view::npos ? 0 : comma + 1));
  }
  for (const std::string_view word : words) {
    if (!word.starts_with("--")) continue;
    const std::string name(word.substr(0, word.find('=')));
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return suggestion(name, names);
  }
  return "";
}

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code failed;
  const bool are_regular = std::filesystem::is_regular_file(a, failed);
  return are_regular ? std::filesystem::equivalent(a, b, failed)
                     : a == b && !std::filesystem::exists(a, failed);
}

// A file that is there, somewhere below a directory.
bool is_below(const std::string& file, const std::string& directory) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed) ||
      !std::filesystem::is_directory(directory, failed))
    return false;
  for (std::filesystem::path up = std::filesystem::canonical(file, failed);
       !failed && up.has_relative_path(); up = up.parent_path())
    if (std::filesystem::equivalent(up, directory, failed)) return true;
  return false;
}

// Nothing that is read is overwritten, and nothing is written twice.
Result<Done> check_files(const Options& options) {
  std::vector<std::string> written;
  for (const Output& output : options.outputs) written.push_back(output.file);
  written.insert(written.end(), {options.histories, options.dump,
                                 options.tlc_trace, options.checkpoint});
  std::vector<std::string> reads = options.inputs;
  reads.insert(reads.end(), {options.input, options.config, options.workload});
  // A specification's configuration is read from beside it.
  if (const std::filesystem::path spec = options.input;
      spec.extension() == ".tla" && options.config.empty())
    reads.push_back(std::filesystem::path(spec).replace_extension(".cfg"));
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (const std::string& read : reads)
      if (is_same_file(written[i], read) || is_below(written[i], read))
        return wrong_call("'" + written[i] + "' is " +
                              (is_below(written[i], read) ? "in " : "") +
                              "the input, and would be overwritten",
                          "choose another file for the output");
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_file(written[i], written[j]))
        return wrong_call("'" + written[i] + "' is to be written twice",
                          "choose a file for each output");
  }
  return Done{};
}

Result<Call> parse_verb(const Verb& verb, std::span<const char* const> rest) {
  Call call;
  call.verb = &verb;
  CLI::App app(std::string(verb.summary), "txscope " + std::string(verb.name));
  if (!verb.input.empty()) add_input(app, verb, call.options);
  std::vector<std::string> formats;
  std::vector<std::string> files;
  CLI::Option* format = nullptr;
  if (!verb.formats.empty()) {
    std::string help(verb.formats);
    std::replace(help.begin(), help.end(), ' ', '|');
    format = app.add_option("--format", formats, "form of the report");
    format->option_text(help)->expected(1)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  }
  CLI::Option* file = app.add_option(
      "-o,--output", files, "write to this file instead of standard output");
  file->option_text("FILE")->expected(1)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
  for (const OptionRow& row : kOptionTable)
    if (has_word(row.verbs, verb.name)) add_option(app, row, call.options);

  std::vector<std::string> words(rest.rbegin(), rest.rend());
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    call.verb = nullptr;
    call.text = help_of(verb, app);
    return call;
  } catch (const CLI::ParseError& error) {
    const std::string meant = option_suggestion(verb, rest);
    const std::string help =
        "see 'txscope " + std::string(verb.name) + " --help'";
    return wrong_call(error.what(), meant.empty() ? help : meant);
  }
  if (verb.input == "[NAME..]")  // the words of one name
    call.options.inputs = {joined(call.options.inputs, " ")};
  if (!call.options.inputs.empty())
    call.options.input = call.options.inputs.front();
  call.options.outputs = pair_outputs(app, format, file);
  if (auto ok = check_formats(verb, call.options.outputs); !ok)
    return ok.error();
  if (auto ok = check_files(call.options); !ok) return ok.error();
  return call;
}

}  // namespace

std::span<const OptionRow> option_table() { return kOptionTable; }
std::span<const Verb> verb_table() { return kVerbTable; }

Result<Call> parse_call(std::span<const char* const> arguments) {
  Call told;
  if (arguments.empty())
    return wrong_call("a verb is missing", "see 'txscope --help'");
  const std::string_view first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    told.text = general_help();
    return told;
  }
  if (first == "--version") {
    told.text = version_text();
    return told;
  }
  for (const Verb& verb : kVerbTable)
    if (verb.name == first) return parse_verb(verb, arguments.subspan(1));
  std::string verbs = "verbs:";
  for (const Verb& verb : kVerbTable) verbs += " " + std::string(verb.name);
  std::vector<std::string> names;
  names.reserve(kVerbTable.size());
  for (const Verb& verb : kVerbTable) names.emplace_back(verb.name);
  const std::string meant = suggestion(first, names);
  return wrong_call("there is no verb '" + std::string(first) + "'",
                    meant.empty() ? verbs : meant);
}

}  // namespace txscope::cli
