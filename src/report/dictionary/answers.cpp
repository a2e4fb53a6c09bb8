// The words that answers use: verdicts, what was looked at, codes of errors.
#include "report/dictionary/entries.h"

namespace txscope::report::dictionary {
namespace {

Entry word(std::string_view name, std::string_view summary,
           std::string_view text, std::string_view practice,
           std::vector<std::string_view> aliases = {}) {
  return {.kind = Kind::Term,
          .name = name,
          .summary = summary,
          .text = text,
          .practice = practice,
          .aliases = std::move(aliases)};
}

void add_verdicts(std::vector<Entry>& out) {
  out.push_back(word(
      "holds", "it was checked, and no execution violates it",
      "Exit status 0. Every question was decided, within the limits that the "
      "report lists under what was checked: these sessions, these arguments, "
      "or all of them. A search that a budget ended never says 'holds'.",
      "", {"hold", "explained", "no-race", "pass"}));
  out.push_back(
      word("violated", "an execution shows that it does not hold",
           "Exit status 1. The report shows that execution, which was run "
           "again before it was reported. For a history, the verdict comes "
           "with a refutation that --certify checks from the definitions.",
           "Look at the fix first: each was tried.",
           {"violation", "not-explained", "breaks", "fails", "also-violated",
            "failed"}));
  out.push_back(
      word("undecided", "neither proved nor refuted",
           "Exit status 3. A budget (time, memory, effort) or a bound ended "
           "the search, or a statement could not be understood. This is not a "
           "pass: what was not checked may be wrong.",
           "Give it more --timeout or --memory, or ask about less.",
           {"budget", "unknown-verdict", "open"}));
  out.push_back(word(
      "vacuous", "nothing was checked, so nothing was shown",
      "There was no execution, no rule, no transaction that commits, or "
      "nothing observed. In logic this would be 'holds'; here it is exit "
      "status 3, because txscope never says 'holds' when it checked nothing.",
      "Use --allow-vacuous if that is expected.",
      {"vacuous-truth", "nothing-checked"}));
  out.push_back(word(
      "race", "something happens that no serial order produces",
      "Two concurrent transactions produce rows, results or errors that they "
      "do not produce when they run one after the other, in either order.",
      "Lock what was read (FOR UPDATE), change it in one statement (SET n = n "
      "+ 1), let a constraint decide, or raise the level and retry.",
      {"races", "race-condition"}));
  out.push_back(word(
      "refutation", "why no order of the transactions explains a history",
      "A circle in which each has to come before the next, or a read that "
      "nothing explains. Where something is open there is one for each "
      "case; a lemma is a step between, where there are too many cases. "
      "--certify goes through all of it from the definitions.",
      "",
      {"evidence", "case", "cases", "lemma", "lemmas", "certified", "forbidden",
       "forbids", "weakest-level", "weakest-level-that-forbids-it"}));
  out.push_back(word("safe",
                     "no race, for all arguments and any number of calls",
                     "For a pair of transactions in the matrix of analyze: it "
                     "was proved that they cannot race. 'tried' is weaker: "
                     "there was no race with the arguments that were tried.",
                     "", {"proved"}));
  out.push_back(
      word("tried", "checked with some arguments, not with all",
           "For a pair of transactions: there was no race with the chosen "
           "arguments, with which the two meet. For a fix: the changed program "
           "was run again and no longer shows the finding.",
           "", {"each-was-tried"}));
  out.push_back(
      word("complete", "the search has seen every execution",
           "For the sessions of the file, every execution that the level "
           "allows was checked. '+' behind a number means that there are more: "
           "a violation or a budget ended the search.",
           "", {"search-is-complete"}));
}

void add_questions(std::vector<Entry>& out) {
  out.push_back(word(
      "one-after-the-other", "some serial order produces every outcome",
      "This is checked for every application at a product's level, without a "
      "rule: some serial order must produce what the committed transactions "
      "saw and left behind.",
      "If it is violated and your rules hold, the outcome may still be "
      "surprising: look at the run.",
      {"as-if-one-after-the-other", "serial", "serial-order", "serially"}));
  out.push_back(word(
      "invariant", "a condition that must be true when all have ended",
      "Written --@ invariant NAME: CONDITION in SQL, invariant in .txn. It is "
      "evaluated on the committed rows; false and NULL are violations. The "
      "report shows the deciding part with its numbers: 4 <= 3.",
      "", {"rule", "rules", "property", "condition", "broken-rule"}));
  out.push_back(word(
      "level", "which anomalies a database promises to keep away",
      "read-committed, snapshot-isolation, serializable and others are levels "
      "of theory, defined by what a history of reads and writes may look like. "
      "postgresql:read-committed and its like are what one product does under "
      "that name. txscope knows both, and says which it means.",
      "Ask about the level that your application really runs at.",
      {"levels", "isolation-level", "isolation"}));
  out.push_back(
      word("error", "a transaction that fails because of others",
           "It ends with a code (40001, 1213, 23505) that it does not end with "
           "in any serial order. Nothing of it has happened. It does not count "
           "for the exit status: applications are to expect it.",
           "Catch it, and run the transaction again.",
           {"errors", "failing-transaction", "program-error"}));
  out.push_back(word(
      "protocol", "a specification breaks what it promises",
      "Of model: a behaviour that the TLA+ specification allows violates an "
      "invariant, a property, an assertion, or can go no further. The report "
      "has the shortest one, state by state.",
      "", {"broken-property-of-a-protocol", "liveness"}));
  out.push_back(
      word("assert", "a condition on what transactions found out",
           "Written --@ assert NAME: CONDITION in SQL, assert in .txn. It is "
           "evaluated when all have ended, on variables of the transactions; a "
           "transaction that did not commit leaves it true.",
           "", {"assertion", "failed-assertion", "failed-assert"}));
  out.push_back(
      word("outcome", "a way in which all transactions can end",
           "At a product's level: whether each transaction committed or "
           "aborted, and which rows each statement saw. The column 'outcomes' "
           "counts them. One outcome is enough to violate a rule, so 1 beside "
           "VIOLATED means that every execution ends this way.",
           "", {"outcomes", "runs", "final-state", "final-states"}));
  out.push_back(
      word("robust", "a weaker level adds nothing to serializable",
           "The transactions may leave serializable for that level: each of "
           "its executions equals some serial one, in the sense of the notion.",
           "If they are not robust, the report shows an execution and the "
           "reads to protect.",
           {"robustness", "not-robust"}));
  out.push_back(word(
      "notion", "what 'as if serializable' means for robust",
      "trace: every execution can be reordered into a serial one, "
      "dependency by dependency. view: it reads from, and ends with, the "
      "same writers as a serial one. history: it reads from the same ones. "
      "outcome: every value read and every final state is possible "
      "serially. state: every final state is. Each implies the next.",
      "Ask for outcome if you care about what users see, for trace if you "
      "want the strongest promise.",
      {"notion-trace", "notion-view", "notion-history", "notion-outcome",
       "notion-state", "trace-robustness", "trace", "view"}));
  out.push_back(
      word("granularity", "what counts as read or written",
           "row: whole rows. column: a read depends on a write only if they "
           "name a common column. result: only if the write concerns rows that "
           "the statement looks for, and changes the named columns.",
           "",
           {"granularity-row", "granularity-column", "granularity-result",
            "row", "column", "result"}));
  out.push_back(word(
      "method", "how an answer was found",
      "search: runs every execution of the sessions in the file. proof: asks a "
      "solver, for any number of sessions and any arguments; what it cannot "
      "exclude is undecided. smt: a solver looks for inputs that break a rule.",
      "",
      {"method-search", "method-proof", "proof", "smt", "obligation",
       "obligations"}));
  out.push_back(word("delayed",
                     "reads before the others and commits after them",
                     "In the shortest execution that differs from every serial "
                     "one, one transaction is delayed: its reads come first, "
                     "its writes last, and the others run serially in between.",
                     "", {"delayed-transaction"}));
  out.push_back(word(
      "anomaly", "an outcome that no serial order produces",
      "What the transactions read, wrote or printed together is impossible "
      "when they run one after the other. Your rules say whether it does harm; "
      "its name (lost-update, write-skew) says how it happened.",
      "", {"anomalies"}));
  out.push_back(
      word("schedule", "the order in which the steps of the requests run",
           "race lets one step run at a time, so a schedule is a list of "
           "turns. Schedules that differ only in the order of steps that "
           "cannot affect each other are run once.",
           "", {"schedules", "interleaving", "interleavings", "step"}));
  out.push_back(word("hang", "a request does not end",
                     "It waits for a lock that is never released, often one "
                     "that it holds itself on another connection: the server "
                     "cannot see a cycle that leads through the application.",
                     "Use one connection per request, or COMMIT before using "
                     "the other connection.",
                     {"hangs", "hung", "does-not-end"}));
  out.push_back(word("survivors",
                     "some requests failed, the others ran serially",
                     "An outcome of race: the requests that failed or gave up "
                     "left nothing behind, and some serial order of the others "
                     "produces what they did. This is allowed.",
                     "", {"survivor"}));
}

void add_codes(std::vector<Entry>& out) {
  out.push_back(
      word("wait", "a statement waits until a lock is released",
           "It asks for a lock that an unfinished transaction holds. A run "
           "shows it as a bar, or as '... waits for'. Afterwards it continues "
           "with what it sees then, or fails.",
           "Hold locks for a short time, and take them in the same order "
           "everywhere.",
           {"waits", "waits-for", "blocked", "lock", "locks", "for-update"}));
  out.push_back(word(
      "misses", "does not see what was committed before",
      "'without X' beside a read: X had committed, but the statement reads "
      "from a snapshot that was taken before.",
      "", {"without", "stale", "does-not-see"}));
  out.push_back(word("snapshot-of-a-transaction",
                     "the state that all its reads come from",
                     "At repeatable read and serializable of PostgreSQL it is "
                     "taken by the first statement, not by BEGIN. At read "
                     "committed every statement has its own snapshot.",
                     "", {"takes-snapshot", "one-snapshot"}));
  out.push_back(word(
      "23505", "PostgreSQL's code for a key that already exists",
      "Two transactions insert the same key: the second waits for the first, "
      "and fails if that commits. If the application checked first whether the "
      "key is free, that check did not protect it; the constraint did.",
      "INSERT .. ON CONFLICT, or catch the error and look again.",
      {"unique-violation", "sqlstate-23505", "1062", "er-dup-entry",
       "ora-00001", "sqlite-constraint-unique", "sqlite-constraint-primarykey",
       "sqlite-constraint-rowid"}));
  out.push_back(
      word("23503", "PostgreSQL's code for a row that others refer to",
           "A foreign key: the row that is referred to is gone, or a row to be "
           "deleted is still referred to.",
           "Lock the parent (FOR KEY SHARE) before you rely on it.",
           {"foreign-key-violation", "sqlstate-23503", "1451", "1452",
            "ora-02291", "ora-02292", "sqlite-constraint-foreignkey"}));
  out.push_back(word("55P03",
                     "PostgreSQL's code for a lock that is not available",
                     "NOWAIT asked not to wait, or lock_timeout expired. The "
                     "transaction has failed.",
                     "Roll back and run the transaction again.",
                     {"lock-not-available", "sqlstate-55p03"}));
  out.push_back(
      word("25P02", "PostgreSQL's code for a transaction that has failed",
           "An earlier statement failed, and until ROLLBACK (or ROLLBACK TO a "
           "savepoint) every other one is refused.",
           "Find the first error; to catch it, put a savepoint around the "
           "statement.",
           {"in-failed-sql-transaction", "sqlstate-25p02"}));
  out.push_back(word(
      "1205", "MySQL's and MariaDB's code for a lock that took too long",
      "After innodb_lock_wait_timeout the statement fails; the transaction "
      "is still open, unless innodb_rollback_on_timeout says otherwise.",
      "Roll back and run the transaction again.",
      {"er-lock-wait-timeout", "lock-wait-timeout"}));
  out.push_back(word(
      "raised", "the routine itself raises an error (RAISE)",
      "The application refuses the request, for example because there is not "
      "enough money. The transaction is rolled back; this is not a violation.",
      "", {"raise", "raise-exception", "p0001", "45000", "signal"}));
  out.push_back(
      word("constraint", "a rule of the schema that the database keeps itself",
           "NOT NULL, CHECK, keys: a statement that would break one fails, and "
           "nothing of it has happened. That is no violation.",
           "Catch the error where the input can be wrong.",
           {"23502", "23514", "23000", "1048", "4025", "not-null-violation",
            "check-violation", "sqlite-constraint", "sqlite-constraint-notnull",
            "sqlite-constraint-check"}));
  out.push_back(
      word("57014", "PostgreSQL's code for a statement that was cancelled",
           "statement_timeout was over, somebody cancelled it, or the server "
           "went down (57P01). The transaction has failed.",
           "Roll back and run the transaction again.",
           {"query-canceled", "query-cancelled", "57p01", "40000", "40002",
            "2013", "connection-lost"}));
  out.push_back(word(
      "baseline", "an earlier report, with the marks that people made in it",
      "--baseline REPORT: what was marked there as accepted or as a false "
      "alarm no longer counts. What is new is called new. A finding is "
      "recognized by its statements, not by their lines.",
      "", {"marks", "accepted", "false-alarm", "suppressed"}));
}

}  // namespace

std::vector<Entry> answer_entries() {
  std::vector<Entry> out;
  add_verdicts(out);
  add_questions(out);
  add_codes(out);
  return out;
}

}  // namespace txscope::report::dictionary
