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
     "isolation levels that the log is held against, or all; also what a "
     "product does, as postgresql:read-committed. Default: what the log "
     "claims"},
    {"audit", "--skip-unsupported", &Options::skip_unsupported, "",
     "leave out statements that are not supported, and what they touch"},
    {"audit", "--allow-skipped", &Options::allow_skipped, "",
     "--skip-unsupported, and exit status 0 if the rest is explained; without "
     "it 3"},
    {"audit", "--times", &Options::log_times, "exact",
     "start and commit are the database's own: snapshots are those of the "
     "start, and commits came in that order. Without it times are hints"},
    {"audit", "--evidence", &Options::evidence, "",
     "with the commit order that explains the log (JSON)"},
    {"verify", "--level", &Options::level, "LEVEL[,LEVEL..]",
     "isolation levels to decide at, or all (the default)"},
    {"verify", "--levels-needed", &Options::levels_needed, "LEVEL",
     "which transactions need serializable if the others run at LEVEL"},
    {"verify", "--integers", &Options::integers, "KIND",
     "bounded (the default: as in the language, overflow is an error) or "
     "unbounded"},
    {"verify", "--inductive", &Options::inductive, "",
     "from any initial values for which the invariants hold"},
    {"verify", "--evidence", &Options::evidence, "",
     "JSON: of what holds, SMT-LIB 2 text that any solver finds "
     "unsatisfiable"},
    {"check", "--all", &Options::all, "",
     "every kind of anomaly at every level, with its count and smallest "
     "instance; also what the history contains"},
    {"explore", "--all", &Options::all, "",
     "do not stop at the first violation: decide and count every property"},
    {"check", "--jobs", &Options::jobs, "N",
     "threads: several files, histories of a file and levels at once, and "
     "reading ahead; default 1",
     from(1, 1024)},
    {"explore verify", "--jobs", &Options::jobs, "N",
     "threads; not at an engine's level", from(1, 1024)},
    {"analyze explore verify", "--loop-bound", &Options::loop_bound, "N",
     "rounds that a loop may take each time; default 1000", from(1, 1e9)},
    {"explore", "--histories", &Options::histories, "FILE",
     "write every history, for 'txscope check'; not at an engine's level"},
    {"explore", "--count", &Options::count, "",
     "only count executions: no rule is needed, and none can fail"},
    {"analyze", "--before", &Options::before, "FILE",
     "is the fix right? The code as it was: what is repaired, what remains, "
     "what "
     "is new; a file or folder, may be given again"},
    {"analyze", "--fix", &Options::fix, "",
     "write the first fix of each finding that is a change of the text into "
     "the files"},
    {"analyze", "--write-baseline", &Options::write_baseline, "FILE",
     "write what is found now as such a file"},
    {"analyze", "-q,--quiet", &Options::quiet, "",
     "nothing but one line per finding that counts"},
    {"analyze", "--log", &Options::log, "FILE",
     "what really ran: a log of PostgreSQL (csvlog, jsonlog, stderr, pgaudit), "
     "MySQL or MariaDB (general log, server audit), p6spy, OpenTelemetry, "
     "Django, Rails, SQLAlchemy, Hibernate, or one that txscope recorded; its "
     "requests are lifted to transactions. INPUT then is the schema, if there "
     "is one"},
    {"analyze", "--log-format", &Options::log_format, "NAME",
     "read the log as this format instead of recognizing it: csvlog, jsonlog, "
     "stderr, general, general-table, server-audit, p6spy, opentelemetry, "
     "django, rails, sqlalchemy, hibernate, txscope"},
    {"analyze", "--gap", &Options::gap, "SECONDS",
     "silence on a connection that ends a request of a log; default 2",
     from(0, 1e6)},
    {"analyze", "--one-user", &Options::one_user, "",
     "one user at a time was at work when the log was written: what lies "
     "between two pauses of --gap is one request, on whatever connections"},
    {"analyze", "--without", &Options::without, "TABLE",
     "leave this table of a log out; may be given often"},
    {"analyze", "--whole-requests", &Options::whole_requests, "",
     "take all that a request of a log does together, not table by table"},
    {"analyze", "--emit", &Options::emit, "FILE",
     "write the application that was lifted from the log, to edit and keep"},
    {"analyze explore race", "--fail-on", &Options::fail_on, "WHAT[,WHAT..]",
     "exit status 1 if this is violated: rule, serial (as if one after the "
     "other), deadlock, error (an error ends a transaction). Default: "
     "rule,serial,deadlock"},
    {"analyze check explore verify robust audit model race", "--baseline",
     &Options::baseline, "FILE",
     "an earlier report (HTML saved with marks, or SARIF): findings that were "
     "marked there as accepted or false do not count any more; of analyze also "
     "a list that --write-baseline wrote: what is in it does not count"},
    {"analyze check explore verify robust audit model record race",
     "--allow-vacuous", &Options::allow_vacuous, "",
     "exit status 0 also where nothing was checked, or recorded; without it 3"},
    {"explore", "--outcomes", &Options::outcomes, "",
     "list how executions of a .txn program can end, each with the number of "
     "histories: what the conditions look at, or all variables"},
    {"explore", "--algorithm", &Options::algorithm, "NAME",
     "dpor (the default), or dfs: the naive search, to compare"},
    {"explore", "--self-check", &Options::self_check, "",
     "remember every history and count those found twice"},
    {"robust", "--against", &Options::against, "LEVEL|PROFILE",
     "the level to leave serializable for; for SQL also a product's: "
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
    {"analyze robust", "--no-repairs", &Options::no_repairs, "",
     "do not look for changes that make it robust"},
    {"robust", "--loop-bound", &Options::loop_bound, "N",
     "rounds that a loop may take each time; default 1000", from(1, 1e9)},
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
     "what a register starts as, where the input cannot say; '*=0' for all "
     "others; may be repeated"},
    {"check explore", "--certify", &Options::certify, "",
     "re-check every verdict from the definitions, every counterexample by "
     "replay, engines against serial runs; explore says what was done"},
    {"audit", "--follow", &Options::follow, "",
     "the log is still growing: audit what comes until a signal, --timeout, "
     "or something that cannot be explained"},
    {"audit", "--state", &Options::state, "FILE",
     "resume the audit that this file describes, and save there where this "
     "one ends"},
    {"audit", "--certify", &Options::certify, "",
     "run what is explained again in the order found, and say so; the log is "
     "kept in memory"},
    {"check", "--evidence", &Options::evidence, "",
     "JSON: the commit order, writers and outcomes of what holds"},
    {"analyze check explore verify robust audit generate model", "--timeout",
     &Options::timeout, "TIME", "give up after this long: 500ms, 60s, 5m"},
    {"analyze check explore verify robust audit generate model", "--memory",
     &Options::memory, "SIZE", "give up beyond this much memory: 500M, 8G"},
    {"convert generate", "--to", &Options::to, "FORMAT",
     "jsonl, edn or plume; else by the extension of -o"},
    {"generate", "--sessions", &Options::sessions, "N", "sessions",
     from(1, kMany)},
    {"generate", "--transactions", &Options::transactions, "N",
     "transactions in all", from(0, kMany)},
    {"generate", "--operations", &Options::operations, "N|A..B",
     "operations in each transaction"},
    {"generate", "--keys", &Options::keys, "N", "keys", from(1, kMany)},
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
     "share of transactions whose outcome nobody knows", kShare},
    {"generate", "--no-times", &Options::no_times, "",
     "leave out start and end times"},
    {"generate", "--replicas", &Options::replicas, "N",
     "copies of the data, where the level allows them to differ",
     from(1, kMany)},
    {"generate", "--plant", &Options::plant, "ANOMALY",
     "change the history so that it has this anomaly"},
    {"generate", "--allowed-by", &Options::allowed_by, "LEVEL",
     "with --forbidden-by: a smallest history that tells two levels apart"},
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
     "TXSCOPE_DB may hold it, too. Only a product's name, or nothing: a "
     "private server that goes afterwards"},
    {"record", "--level", &Options::level, "LEVEL",
     "the level of the transactions: postgresql:repeatable-read, "
     "mariadb:serializable, snapshot-isolation; default the product's own"},
    {"record", "--proxy", &Options::proxy, "HOST:PORT",
     "no workload: listen there, pass everything on to the PostgreSQL or "
     "MariaDB of --db, and record it"},
    {"record", "--clients", &Options::clients, "N",
     "clients; default 8. With --proxy, the most connections at a time; "
     "default 100",
     from(1, 10000)},
    {"record", "--transactions", &Options::transactions, "N",
     "transactions in all; default 10000", from(0, kMany)},
    {"record", "--seed", &Options::seed, "N",
     "the same seed chooses the same transactions"},
    {"record", "--retries", &Options::retries, "N",
     "retries after a serialization failure or deadlock; default 0",
     from(0, 1e6)},
    {"record", "--rate", &Options::rate, "N",
     "at most that many transactions per second", from(0, 1e9)},
    {"record", "--timeout", &Options::timeout, "TIME",
     "stop after this long: 60s, 5m"},
    {"record", "--schema", &Options::schema, "NAME",
     "the database to make and to work in; default txscope"},
    {"record", "--drop", &Options::drop, "",
     "replace that database, if an earlier run of txscope left it"},
    {"record", "--keep", &Options::keep, "", "leave the database there"},
    {"record", "--force", &Options::force, "",
     "of --proxy: lose the log that is there already"},
    {"record", "--redact", &Options::redact, "",
     "replace texts by tokens that are equal and ordered as they were"},
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
     "register, list-append, fuzz: rows; default 100", from(1, 1e6)},
    {"record", "--operations", &Options::record_operations, "N|A..B",
     "register, list-append, fuzz: operations in a transaction; default 1..6"},
    {"record", "--reads", &Options::reads, "SHARE",
     "register, list-append, fuzz: share of operations that read; default 0.5",
     kShare},
    {"race", "--db", &Options::db, "URI",
     "postgresql://.. or mariadb://..: every run begins with a copy of it, on "
     "a private server; it is not changed. TXSCOPE_DB may hold it, too"},
    {"race", "--in-place", &Options::in_place, "",
     "work on the database of --db itself, and put its contents back between "
     "runs and in the end; PostgreSQL, as a superuser"},
    {"race", "--request", &Options::requests, "[NAME: ]COMMAND",
     "what one user does: a command that finds the database by PGHOST, PGPORT, "
     "PGDATABASE, PGUSER (MYSQL_HOST and so on) or DATABASE_URL; give it for "
     "each request"},
    {"race", "--serve", &Options::serve, "COMMAND",
     "starts the application's server, once; requests then speak with it, as "
     "in 'curl -fsS localhost:8000/buy'. The tables are put back between runs"},
    {"race", "--reset", &Options::reset, "COMMAND",
     "makes the beginning of every run again, instead of putting tables back"},
    {"race", "--times", &Options::times, "N",
     "so many of each request at the same time; default 1", from(1, 64)},
    {"replay", "--db", &Options::db, "URI",
     "of a race: copy this database instead of the one that was raced on; "
     "else a server of PostgreSQL or MariaDB, in a database of its own that is "
     "dropped afterwards; default a private server"},
    {"replay", "--level", &Options::level, "PROFILE",
     "run at this level of a product instead of the report's: does it help?"},
    {"replay", "--emit", &Options::emit, "FORM",
     "run nothing, write the first schedule: sql, psql (for a terminal per "
     "session), isolationtester, pytest (fails until it is repaired)"},
    {"replay", "--times", &Options::times, "N", "so often; default 1",
     from(1, 1e6)},
    {"replay", "--timeout", &Options::timeout, "TIME",
     "stop after this long: 60s, 5m"},
    {"race", "--rule", &Options::rules, "[NAME: ]CONDITION",
     "in SQL; must be true when all requests have ended; may be given often"},
    {"race", "--ignore", &Options::ignored, "TABLE.COLUMN",
     "leave this column out when outcomes are compared; may be given often"},
    {"race", "--gave-up", &Options::gave_up, "REGEX",
     "a printed line that begins so says that the request did nothing"},
    {"race", "--request-timeout", &Options::request_timeout, "SECONDS",
     "a request that stands still so long hangs; default 30", from(1, 1e6)},
    {"race", "--no-repairs", &Options::no_repairs, "",
     "do not try locks, constraints and levels that could help"},
    {"race", "--no-reduction", &Options::no_reduction, "",
     "run every order of the steps, also those that cannot matter"},
    {"race", "--schedules", &Options::schedules, "N",
     "stop after N complete schedules; default all", from(0, kMany)},
    {"race", "--jobs", &Options::race_jobs, "N",
     "runs at a time; default twice the processors", from(0, 1024)},
    {"race", "--timeout", &Options::timeout, "TIME",
     "tell what was found after this long: 60s, 5m"},
    {"model", "--config", &Options::config, "FILE",
     "the configuration; default the .cfg beside the specification"},
    {"model", "-I,--include", &Options::include, "DIR[:DIR..]",
     "look for modules there, too"},
    {"model", "--jobs", &Options::jobs, "N", "threads; default 1",
     from(1, 1024)},
    {"model", "--processes", &Options::processes, "N",
     "processes that share nothing, instead of --jobs", from(1, 64)},
    {"model", "--depth", &Options::depth, "N",
     "stop after N breadth-first levels", from(0, 1e9)},
    {"model", "--translate", &Options::translate, "",
     "write the translation of its PlusCal algorithm into the file, and check "
     "nothing"},
    {"model", "--simulate", &Options::simulate, "N",
     "N random behaviours of at most --depth states (default 100)",
     from(0, 1e12)},
    {"model", "--seed", &Options::seed, "N", "seed of everything random"},
    {"model", "--no-deadlock", &Options::no_deadlock, "",
     "a state with no successor is not an error"},
    {"model", "--all-values", &Options::all_values, "",
     "show every variable of every state of a trace"},
    {"model", "--coverage", &Options::coverage, "",
     "how often each action was taken and each line evaluated"},
    {"model", "--dump", &Options::dump, "FILE",
     "write all states and steps there: .dot or .json by its ending"},
    {"model", "--trace", &Options::tlc_trace, "FILE.json",
     "write a violating behaviour there, as TLC's -dumpTrace json does"},
    {"model", "--disk", &Options::disk, "DIR",
     "keep there what does not fit into --memory: states seen, states that "
     "wait"},
    {"model", "--checkpoint", &Options::checkpoint, "FILE",
     "where to put a search that a budget or Ctrl-C ends; with --processes or "
     "--disk a directory, kept up while the search runs"},
    {"model", "--resume", &Options::resume, "FILE",
     "go on from there, if the specification is the same"},
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
    {"record", "", "run a workload on a real database and write what it saw",
     "",
     "txscope record --workload bank --level postgresql:repeatable-read -o "
     "log.jsonl",
     &run_record},
    {"race", "[CASE]",
     "what can real requests do to each other on a real database?", kReports,
     "txscope race --db postgresql:///shop --request 'python3 app.py buy 1' "
     "--times 2 --rule 'not oversold: (SELECT count(*) FROM orders) <= 3'",
     &run_race},
    {"replay", "REPORT",
     "does it happen on a real database, what a report tells?", "text json",
     "txscope replay finding.json --times 20", &run_replay},
    {"model", "SPEC", "does a TLA+ specification keep its properties?",
     kWithGraph, "txscope model Protocol.tla --jobs 2", &run_model},
    {"explain", "[NAME..]", "say what a level, anomaly or term means",
     "text json", "txscope explain write-skew", &run_explain},
});

}  // namespace

std::span<const OptionRow> option_table() { return kOptionTable; }
std::span<const Verb> verb_table() { return kVerbTable; }

}  // namespace txscope::cli
