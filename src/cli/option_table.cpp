// The verbs and options that there are.

#include <array>

#include "cli/options.h"
#include "cli/verbs.h"

namespace txscope::cli {
namespace {

constexpr Range from(double least, double most) { return {least, most}; }
constexpr Range kShare = from(0, 1);
/// Where the program counts with 32 bits.
constexpr double kMany = 4'294'967'295;

constexpr auto kOptionTable = std::to_array<OptionRow>({
    {"check", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels to decide, or all (the default)"},
    {"explore", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels to run the program at, or all; for SQL also a "
     "product's: postgresql:read-committed, mariadb (all of its levels). "
     "Default: all; for SQL, PostgreSQL's"},
    {"analyze", "--level", &Options::level, "LEVEL",
     "the level that the database runs at; "
     "default postgresql:read-committed"},
    {"audit", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels to check the log against, or all; also a product's: "
     "postgresql:read-committed. Default: what the log claims"},
    {"audit", "--skip-unsupported", &Options::skip_unsupported, "",
     "leave out statements that are not supported, and what they touch"},
    {"audit", "--allow-skipped", &Options::allow_skipped, "",
     "like --skip-unsupported, but exit status 0 instead of 3 if the rest "
     "holds"},
    {"audit", "--times", &Options::log_times, "exact",
     "start and commit are the database's own times: snapshots are taken at "
     "the start, and commits are in this order. Otherwise times are only "
     "hints"},
    {"audit", "--evidence", &Options::evidence, "",
     "JSON: include the commit order that explains the log"},
    {"verify", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels to decide at, or all (the default)"},
    {"verify", "--levels-needed", &Options::levels_needed, "LEVEL",
     "which transactions need serializable if the others run at LEVEL"},
    {"verify", "--integers", &Options::integers, "KIND",
     "bounded (the default: overflow is an error, as in the language) or "
     "unbounded"},
    {"verify", "--inductive", &Options::inductive, "",
     "start from any initial values that satisfy the invariants"},
    {"verify", "--evidence", &Options::evidence, "",
     "JSON: for what holds, include SMT-LIB 2 text that any solver finds "
     "unsatisfiable"},
    {"check", "--all", &Options::all, "",
     "report every kind of anomaly at every level, with its count and smallest "
     "instance; also what the history contains"},
    {"explore", "--all", &Options::all, "",
     "do not stop at the first violation: decide and count every property"},
    {"check", "--jobs", &Options::jobs, "N",
     "number of threads, for several files, histories and levels at once, and "
     "for reading ahead; default 1",
     from(1, 1024)},
    {"explore verify", "--jobs", &Options::jobs, "N",
     "number of threads; not at an engine's level", from(1, 1024)},
    {"analyze explore verify", "--loop-bound", &Options::loop_bound, "N",
     "most rounds each time a loop is entered; default 1000", from(1, 1e9)},
    {"explore", "--histories", &Options::histories, "FILE",
     "write every history, for 'txscope check'; not at an engine's level"},
    {"explore", "--count", &Options::count, "",
     "only count executions: no rule is needed, and none can fail"},
    {"analyze", "--before", &Options::before, "FILE",
     "the code before a fix, a file or folder: report what is repaired, what "
     "remains and what is new; may be repeated"},
    {"analyze", "--fix", &Options::fix, "",
     "change the files: apply the first fix of each finding that changes the "
     "text"},
    {"analyze", "--write-baseline", &Options::write_baseline, "FILE",
     "write the current findings into a file for --baseline"},
    {"analyze", "-q,--quiet", &Options::quiet, "",
     "print only one line per finding that counts"},
    {"analyze", "--log", &Options::log, "FILE",
     "analyze what really ran: a log of PostgreSQL (csvlog, jsonlog, stderr, "
     "pgaudit), MySQL or MariaDB (general log, server audit), p6spy, "
     "OpenTelemetry, Django, Rails, SQLAlchemy, Hibernate, or one that txscope "
     "recorded; its requests become transactions. INPUT is then the schema, if "
     "there is one"},
    {"analyze", "--log-format", &Options::log_format, "NAME",
     "read the log as this format instead of recognizing it: csvlog, jsonlog, "
     "stderr, general, general-table, server-audit, p6spy, opentelemetry, "
     "django, rails, sqlalchemy, hibernate, txscope"},
    {"analyze", "--gap", &Options::gap, "SECONDS",
     "length of a pause on a connection that ends a request in the log; "
     "default 2",
     from(0, 1e6)},
    {"analyze", "--one-user", &Options::one_user, "",
     "only one user was active when the log was written: everything between "
     "two pauses of --gap is one request, on any connections"},
    {"analyze", "--without", &Options::without, "TABLE",
     "ignore this table in the log; may be repeated"},
    {"analyze", "--whole-requests", &Options::whole_requests, "",
     "check everything that a request in the log does together, not table by "
     "table"},
    {"analyze", "--emit", &Options::emit, "FILE",
     "write the application that was made from the log, to edit and keep"},
    {"analyze explore race", "--fail-on", &Options::fail_on, "WHAT[,WHAT..]",
     "exit status 1 if this is violated: rule, serial (as if one after the "
     "other), deadlock, error (an error ends a transaction). Default: "
     "rule,serial,deadlock"},
    {"analyze check explore verify robust audit model race", "--baseline",
     &Options::baseline, "FILE",
     "an earlier report (HTML saved with marks, or SARIF): findings that were "
     "marked there as accepted or false no longer count; for analyze also a "
     "list from --write-baseline: findings in it do not count"},
    {"analyze check explore verify robust audit model record race",
     "--allow-vacuous", &Options::allow_vacuous, "",
     "exit status 0 instead of 3 if nothing was checked or recorded"},
    {"explore", "--outcomes", &Options::outcomes, "",
     "list how executions of a .txn program can end, each with the number of "
     "histories: the variables in the conditions, or all variables"},
    {"explore", "--algorithm", &Options::algorithm, "NAME",
     "dpor (the default), or dfs, the naive search, for comparison"},
    {"explore", "--self-check", &Options::self_check, "",
     "remember every history and count those found twice"},
    {"robust", "--against", &Options::against, "LEVEL|PROFILE",
     "the level to leave serializable for; for SQL also a product's: "
     "postgresql:read-committed. Default: snapshot-isolation"},
    {"robust", "--notion", &Options::notion, "NOTION",
     "what 'as if serializable' means: trace (the default), view, history, "
     "outcome (the default at an engine's level) or state"},
    {"robust", "--granularity", &Options::granularity, "G",
     "what counts as read and written: row, column or result; default the "
     "finest that the method has"},
    {"robust", "--method", &Options::method, "M",
     "search (exact, for the sessions in the file), proof (for any number of "
     "sessions and any arguments) or auto (the default)"},
    {"robust", "--allocate", &Options::allocate, "",
     "find the weakest level of every transaction such that every mix is "
     "serializable"},
    {"analyze robust", "--no-repairs", &Options::no_repairs, "",
     "do not look for fixes"},
    {"robust", "--loop-bound", &Options::loop_bound, "N",
     "most rounds each time a loop is entered; default 1000", from(1, 1e9)},
    {"generate", "--level", &Options::level, "LEVEL",
     "what the simulated database guarantees; default serializable"},
    {"check generate audit", "--order", &Options::order, "ORDER",
     "none, session (the default) or realtime"},
    {"explore verify robust analyze", "--dialect", &Options::dialect, "NAME",
     "read SQL as postgresql, mysql or mariadb instead of recognizing it"},
    {"check convert", "--input-format", &Options::input_format, "FORMAT",
     "read the input as this format instead of recognizing it"},
    {"check convert audit", "--judge-aborted", &Options::judge_aborted, "",
     "the reads of aborted transactions must be explained, too"},
    {"check convert", "--initial", &Options::initial, "KEY=VALUE",
     "initial value of a register, if the input does not say it; '*=0' for all "
     "others; may be repeated"},
    {"check explore", "--certify", &Options::certify, "",
     "re-check every verdict from the definitions, every counterexample by "
     "replay, and engines against serial runs; explore says what was done"},
    {"audit", "--follow", &Options::follow, "",
     "the log is still growing: audit what is added, until a signal, "
     "--timeout, or an answer that cannot be explained"},
    {"audit", "--state", &Options::state, "FILE",
     "resume the audit that was saved in this file, and save the new state "
     "there"},
    {"audit", "--certify", &Options::certify, "",
     "run a log that holds again in the order that was found, and say so; "
     "keeps the log in memory"},
    {"check", "--evidence", &Options::evidence, "",
     "JSON: for what holds, include the commit order, writers and outcomes"},
    {"analyze check explore verify robust audit generate model", "--timeout",
     &Options::timeout, "TIME", "give up after this long: 500ms, 60s, 5m"},
    {"analyze check explore verify robust audit generate model", "--memory",
     &Options::memory, "SIZE", "give up beyond this much memory: 500M, 8G"},
    {"convert generate", "--to", &Options::to, "FORMAT",
     "jsonl, edn or plume; default by the extension of -o"},
    {"generate", "--sessions", &Options::sessions, "N", "number of sessions",
     from(1, kMany)},
    {"generate", "--transactions", &Options::transactions, "N",
     "number of transactions", from(0, kMany)},
    {"generate", "--operations", &Options::operations, "N|A..B",
     "number of operations in each transaction"},
    {"generate", "--keys", &Options::keys, "N", "number of keys",
     from(1, kMany)},
    {"generate", "--reads", &Options::reads, "SHARE",
     "share of operations that read, 0 to 1", kShare},
    {"generate", "--distribution", &Options::distribution, "D",
     "uniform, zipf, zipf:0.99 or hotspot"},
    {"generate", "--lists", &Options::lists, "",
     "append to lists instead of writing registers"},
    {"generate", "--values", &Options::values, "N",
     "write only N different values; 0: every value once", from(0, kMany)},
    {"generate", "--aborted", &Options::aborted, "SHARE",
     "share of transactions that abort", kShare},
    {"generate", "--unknown", &Options::unknown, "SHARE",
     "share of transactions whose outcome is unknown", kShare},
    {"generate", "--no-times", &Options::no_times, "",
     "leave out start and end times"},
    {"generate", "--replicas", &Options::replicas, "N",
     "number of copies of the data, if the level allows them to differ",
     from(1, kMany)},
    {"generate", "--plant", &Options::plant, "ANOMALY",
     "change the history so that it has this anomaly"},
    {"generate", "--allowed-by", &Options::allowed_by, "LEVEL",
     "with --forbidden-by: find a smallest history that distinguishes the two "
     "levels"},
    {"generate", "--forbidden-by", &Options::forbidden_by, "LEVEL",
     "see --allowed-by"},
    {"generate", "--seed", &Options::seed, "N",
     "the same seed gives the same history"},
    {"explore", "--seed", &Options::seed, "N", "seed of the estimate"},
    {"record", "--workload", &Options::workload, "NAME|FILE",
     "bank, twitter, rubis, tpcc, fuzz; register, list-append: a history for "
     "'txscope check'; or an application in SQL, whose procedures are called"},
    {"record", "--db", &Options::db, "URI",
     "postgresql://.., mariadb://.. or sqlite:FILE, without a password; "
     "TXSCOPE_DB may hold it, too. With only a product's name, or without this "
     "option: a private server that is removed afterwards"},
    {"record", "--level", &Options::level, "LEVEL",
     "the level of the transactions: postgresql:repeatable-read, "
     "mariadb:serializable, snapshot-isolation; default the product's own"},
    {"record", "--proxy", &Options::proxy, "HOST:PORT",
     "instead of a workload, listen there, forward everything to the "
     "PostgreSQL or MariaDB of --db, and record it"},
    {"record", "--clients", &Options::clients, "N",
     "number of clients; default 8. With --proxy, the most connections at a "
     "time; default 100",
     from(1, 10000)},
    {"record", "--transactions", &Options::transactions, "N",
     "number of transactions; default 10000", from(0, kMany)},
    {"record", "--seed", &Options::seed, "N",
     "the same seed chooses the same transactions"},
    {"record", "--retries", &Options::retries, "N",
     "number of retries after a serialization failure or deadlock; default 0",
     from(0, 1e6)},
    {"record", "--rate", &Options::rate, "N",
     "at most N transactions per second", from(0, 1e9)},
    {"record", "--timeout", &Options::timeout, "TIME",
     "stop after this long: 60s, 5m"},
    {"record", "--schema", &Options::schema, "NAME",
     "the database to create and to work in; default txscope"},
    {"record", "--drop", &Options::drop, "",
     "replace that database, if an earlier run of txscope left it"},
    {"record", "--keep", &Options::keep, "",
     "do not drop the database at the end"},
    {"record", "--force", &Options::force, "",
     "with --proxy: overwrite an existing log"},
    {"record", "--redact", &Options::redact, "",
     "replace texts by tokens that keep equality and order"},
    {"record", "--stored", &Options::stored, "",
     "PostgreSQL runs the procedures: a CALL is one statement"},
    {"record", "--random-arguments", &Options::random_arguments, "",
     "with a FILE: call all procedures with random arguments"},
    {"record", "--scale", &Options::scale, "N",
     "number of accounts or users; for tpcc, of items", from(0, 1e6)},
    {"record", "--rows-accessed", &Options::rows_accessed, "SHARE",
     "bank: share of the accounts in use; default 1", kShare},
    {"record", "--blind-writes", &Options::blind_writes, "SHARE",
     "bank: share of writing transactions that read nothing; default 0",
     kShare},
    {"record", "--read-only", &Options::read_only, "SHARE",
     "bank: share of transactions that only read; default 0.2", kShare},
    {"record", "--keys", &Options::record_keys, "N",
     "register, list-append, fuzz: number of rows; default 100", from(1, 1e6)},
    {"record", "--operations", &Options::record_operations, "N|A..B",
     "register, list-append, fuzz: operations in a transaction; default 1..6"},
    {"record", "--reads", &Options::reads, "SHARE",
     "register, list-append, fuzz: share of operations that read; default 0.5",
     kShare},
    {"race", "--db", &Options::db, "URI",
     "postgresql://.. or mariadb://..: every run starts with a copy of this "
     "database on a private server; the database itself is not changed. "
     "TXSCOPE_DB may hold it, too"},
    {"race", "--in-place", &Options::in_place, "",
     "work on the database of --db itself, and restore its contents between "
     "runs and at the end; only PostgreSQL, as a superuser"},
    {"race", "--request", &Options::requests, "[NAME: ]COMMAND",
     "what one user does: a command that finds the database by PGHOST, PGPORT, "
     "PGDATABASE, PGUSER (MYSQL_HOST and so on) or DATABASE_URL; repeat the "
     "option for each request"},
    {"race", "--serve", &Options::serve, "COMMAND",
     "starts the application's server, once; requests then talk to it, as in "
     "'curl -fsS localhost:8000/buy'. The tables are restored between runs"},
    {"race", "--reset", &Options::reset, "COMMAND",
     "restores the initial state before every run, instead of restoring "
     "tables"},
    {"race", "--times", &Options::times, "N",
     "run each request N times concurrently; default 1", from(1, 64)},
    {"replay", "--db", &Options::db, "URI",
     "for a race: copy this database instead of the one of the race; otherwise "
     "a PostgreSQL or MariaDB server, on which a separate database is created "
     "and dropped afterwards; default a private server"},
    {"replay", "--level", &Options::level, "PROFILE",
     "run at this level of a product instead of the report's, to see whether "
     "it helps"},
    {"replay", "--emit", &Options::emit, "FORM",
     "run nothing, but write the first schedule: sql, psql (for one terminal "
     "per session), isolationtester, pytest (fails until the code is fixed)"},
    {"replay", "--times", &Options::times, "N", "number of runs; default 1",
     from(1, 1e6)},
    {"replay", "--timeout", &Options::timeout, "TIME",
     "stop after this long: 60s, 5m"},
    {"race", "--env", &Options::environment, "NAME=VALUE",
     "a variable for these commands, if they call the address something else: "
     "--env 'DB_SOURCE=postgresql://{user}@{host}:{port}/{database}', or "
     "{url}; "
     "may be repeated"},
    {"race", "--rule", &Options::rules, "[NAME: ]CONDITION",
     "SQL that must be true when all requests have ended; may be repeated"},
    {"race", "--ignore", &Options::ignored, "TABLE.COLUMN",
     "ignore this column when outcomes are compared; may be repeated"},
    {"race", "--gave-up", &Options::gave_up, "REGEX",
     "a request that prints a line starting with this did nothing"},
    {"race", "--request-timeout", &Options::request_timeout, "SECONDS",
     "a request that makes no progress for this long hangs; default 30",
     from(1, 1e6)},
    {"race", "--no-repairs", &Options::no_repairs, "",
     "do not try locks, constraints and levels as fixes"},
    {"race", "--no-reduction", &Options::no_reduction, "",
     "run every order of the steps, including those that cannot matter"},
    {"race", "--schedules", &Options::schedules, "N",
     "stop after N complete schedules; default all", from(0, kMany)},
    {"race", "--jobs", &Options::race_jobs, "N",
     "number of runs at a time; default twice the number of processors",
     from(0, 1024)},
    {"race", "--timeout", &Options::timeout, "TIME",
     "stop after this long and report what was found: 60s, 5m"},
    {"model", "--config", &Options::config, "FILE",
     "the configuration file; default the .cfg beside the specification"},
    {"model", "-I,--include", &Options::include, "DIR[:DIR..]",
     "also look for modules there"},
    {"model", "--jobs", &Options::jobs, "N", "number of threads; default 1",
     from(1, 1024)},
    {"model", "--processes", &Options::processes, "N",
     "number of processes that share nothing, instead of --jobs", from(1, 64)},
    {"model", "--depth", &Options::depth, "N",
     "stop after N breadth-first levels", from(0, 1e9)},
    {"model", "--translate", &Options::translate, "",
     "write the translation of its PlusCal algorithm into the file, and check "
     "nothing"},
    {"model", "--simulate", &Options::simulate, "N",
     "try N random behaviours of at most --depth states (default 100)",
     from(0, 1e12)},
    {"model", "--seed", &Options::seed, "N", "seed of all random choices"},
    {"model", "--no-deadlock", &Options::no_deadlock, "",
     "a state with no successor is not an error"},
    {"model", "--all-values", &Options::all_values, "",
     "show every variable of every state of a trace"},
    {"model", "--coverage", &Options::coverage, "",
     "report how often each action was taken and each line evaluated"},
    {"model", "--dump", &Options::dump, "FILE",
     "write all states and steps there, as .dot or .json"},
    {"model", "--trace", &Options::tlc_trace, "FILE.json",
     "write a violating behaviour there, as TLC's -dumpTrace json does"},
    {"model", "--disk", &Options::disk, "DIR",
     "store there what does not fit into --memory: seen states and waiting "
     "states"},
    {"model", "--checkpoint", &Options::checkpoint, "FILE",
     "where to save a search that a budget or Ctrl-C ends; with --processes or "
     "--disk a directory, updated while the search runs"},
    {"model", "--resume", &Options::resume, "FILE",
     "continue a saved search, if the specification is the same"},
    {"model", "--literal", &Options::literal, "",
     "evaluate the levels of module Txscope as they are written"},
});

constexpr std::string_view kReports =
    "text json html sarif junit github gitlab markdown csv lines";
constexpr std::string_view kWithGraph =
    "text json dot html sarif junit github gitlab markdown csv lines";

constexpr auto kVerbTable = std::to_array<Verb>({
    {"check", "FILE..",
     "is this observed history allowed at an isolation level?", kWithGraph,
     "txscope check history.edn --level snapshot-isolation", &run_check},
    {"analyze", "[FILE..]",
     "what can go wrong in this application, and which fix works?", kWithGraph,
     "txscope analyze migrations/", &run_analyze},
    {"explore", "FILE", "what can these transactions do at a level?",
     kWithGraph, "txscope explore bank.sql --level postgresql:read-committed",
     &run_explore},
    {"audit", "LOG",
     "did the database answer these SQL transactions correctly?", kReports,
     "txscope audit log.jsonl --level snapshot-isolation", &run_audit},
    {"verify", "FILE", "can a rule break at a level, for any input?",
     kWithGraph, "txscope verify bank.txn --level snapshot-isolation",
     &run_verify},
    {"robust", "FILE", "may these transactions leave serializable?", kWithGraph,
     "txscope robust smallbank.sql", &run_robust},
    {"convert", "FILE", "translate a history into another format", "",
     "txscope convert history.edn -o history.jsonl", &run_convert},
    {"generate", "", "make a history", "",
     "txscope generate --sessions 20 --transactions 10000 -o h.jsonl",
     &run_generate},
    {"record", "",
     "run a workload on a real database and record what its clients saw", "",
     "txscope record --workload bank --level postgresql:repeatable-read -o "
     "log.jsonl",
     &run_record},
    {"race", "[CASE]",
     "what can real requests do to each other on a real database?", kReports,
     "txscope race --db postgresql:///shop --request 'python3 app.py buy 1' "
     "--times 2 --rule 'not oversold: (SELECT count(*) FROM orders) <= 3'",
     &run_race},
    {"replay", "REPORT", "does what a report shows happen on a real database?",
     "text json", "txscope replay finding.json --times 20", &run_replay},
    {"model", "SPEC", "does a TLA+ specification keep its properties?",
     kWithGraph, "txscope model Protocol.tla --jobs 2", &run_model},
    {"explain", "[NAME..]", "what does a level, anomaly or term mean?",
     "text json", "txscope explain write-skew", &run_explain},
});

}  // namespace

std::span<const OptionRow> option_table() { return kOptionTable; }
std::span<const Verb> verb_table() { return kVerbTable; }

}  // namespace txscope::cli
