// The words that answers use: verdicts, what was looked at, codes of errors.
#include "report/dictionary/entries.h"

namespace txscope::dictionary {
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
  out.push_back(
      word("holds", "it was checked, and no execution violates it",
           "Exit status 0. Everything that was asked was decided, within what "
           "the report says under what was checked: these sessions, these "
           "arguments, or all of them. A search that a budget ended never says "
           "so.",
           "", {"hold", "explained", "no-race", "pass"}));
  out.push_back(
      word("violated", "an execution shows that it does not hold",
           "Exit status 1. The report has that execution, and it was run again "
           "before it was told. Of a history, the verdict comes with a "
           "refutation that --certify checks from the definitions.",
           "Look at the fix first: each was tried.",
           {"violation", "not-explained", "breaks", "fails", "also-violated",
            "failed"}));
  out.push_back(word(
      "undecided", "neither shown nor refuted",
      "Exit status 3. A budget (time, memory, effort) or a bound ended the "
      "search, or a statement could not be understood. It is no pass: what "
      "was not looked at may be wrong.",
      "Give more --timeout or --memory, or ask about less.",
      {"budget", "unknown-verdict", "open"}));
  out.push_back(
      word("vacuous", "nothing was checked, so nothing was shown",
           "There was no execution, no rule, no transaction that commits, or "
           "nothing observed. It would be 'holds' in logic; here it is exit "
           "status 3, because whoever asks wants to know.",
           "Say --allow-vacuous where that is expected.",
           {"vacuous-truth", "nothing-checked"}));
  out.push_back(
      word("race", "something happens that no serial order gives",
           "Two transactions at the same time lead to rows, results or errors "
           "that they do not have one after the other, in either order.",
           "Lock what was read (FOR UPDATE), change in one statement "
           "(SET n = n + 1), let a constraint decide, or raise the level and "
           "retry.",
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
  out.push_back(
      word("safe", "no race, for all arguments and any number of calls",
           "Of a pair of transactions in the matrix of analyze: it was proved. "
           "'tried' is less: no race with the arguments that were tried.",
           "", {"proved"}));
  out.push_back(
      word("tried", "looked at with some arguments, not all",
           "Of a pair of transactions: no race with the arguments that were "
           "chosen, which are such that the two meet. Of a fix: the changed "
           "program was run again and does not show the finding any more.",
           "", {"each-was-tried"}));
  out.push_back(word(
      "complete", "the search has seen every execution",
      "Within the sessions of the file, every execution that the level "
      "allows was looked at. '+' behind a number says that there are more: "
      "the search ended at a violation, or a budget did.",
      "", {"search-is-complete"}));
}

void add_questions(std::vector<Entry>& out) {
  out.push_back(word(
      "one-after-the-other", "every outcome is one of some serial order",
      "Asked of every application at a product's level, without a rule: "
      "what the transactions that committed saw and left must be what they "
      "see and leave when they run one at a time, in some order.",
      "If it is violated and your rules hold, what happens may still "
      "surprise somebody: look at the run.",
      {"as-if-one-after-the-other", "serial", "serial-order", "serially"}));
  out.push_back(word(
      "invariant", "a condition that must be true when all have ended",
      "Written --@ invariant NAME: CONDITION in SQL, invariant in .txn. It is "
      "evaluated on the committed rows; false and NULL are violations. The "
      "report shows the part that decides with its numbers: 4 <= 3.",
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
  out.push_back(word(
      "outcome", "a way in which all transactions can end",
      "At a product's level: per transaction committed or aborted, per "
      "statement the rows it saw. The column 'outcomes' counts them. One of "
      "them is enough to violate a rule, so 1 beside VIOLATED means that "
      "everything ends in that way.",
      "", {"outcomes", "runs", "final-state", "final-states"}));
  out.push_back(
      word("robust", "a weaker level adds nothing to serializable",
           "The transactions may leave serializable for that level: no "
           "execution of it differs from all serial ones, in the sense of the "
           "notion.",
           "If it is not, the report has an execution, and reads to protect.",
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
      word("granularity", "what counts as one thing that is read or written",
           "row: a row as a whole. column: a row's columns apart, so that "
           "writers of different columns do not meet. result: what a statement "
           "gives, so that a read that would give the same does not count.",
           "",
           {"granularity-row", "granularity-column", "granularity-result",
            "row", "column", "result"}));
  out.push_back(word(
      "method", "how an answer was found",
      "search: every execution of the sessions in the file. proof: a "
      "solver, for any number of sessions and any arguments; what it cannot "
      "exclude is undecided. smt: a solver looks for inputs that break a "
      "rule.",
      "",
      {"method-search", "method-proof", "proof", "smt", "obligation",
       "obligations"}));
  out.push_back(
      word("delayed", "reads before the others and commits after them",
           "In the shortest execution that is not as a serial one, one "
           "transaction is delayed: its reads come first, its writes last, and "
           "the others run serially between.",
           "", {"delayed-transaction"}));
  out.push_back(
      word("anomaly", "an outcome that no serial order has",
           "What the transactions read, wrote or printed together cannot come "
           "out when they run one after the other. Whether it hurts is for "
           "your rules to say; its name (lost-update, write-skew) says how it "
           "came about.",
           "", {"anomalies"}));
  out.push_back(
      word("schedule", "in which order the steps of the requests go on",
           "race lets one step go at a time, so a schedule is a list of whose "
           "turn it is. Two that differ only in steps that cannot notice each "
           "other are run once.",
           "", {"schedules", "interleaving", "interleavings", "step"}));
  out.push_back(
      word("hang", "a request does not come to its end",
           "It waits for a lock that nobody gives back, often one of its own "
           "on another connection: no server sees a circle that leads through "
           "the application.",
           "One connection per request, or COMMIT before the other is used.",
           {"hangs", "hung", "does-not-end"}));
  out.push_back(
      word("survivors", "some requests failed, the others ran serially",
           "An outcome of race: those that failed or gave up left nothing, and "
           "what the others did is that of some serial order. It is allowed.",
           "", {"survivor"}));
}

void add_codes(std::vector<Entry>& out) {
  out.push_back(word(
      "wait", "a statement stands still until another one lets go",
      "It asks for a lock that a transaction holds which has not ended. In "
      "a run it is drawn as a bar, or as '... waits for'. Then it goes on, "
      "with what it sees now, or fails.",
      "Locks that are held for a short time, in one order everywhere.",
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
                     "committed every statement has one of its own.",
                     "", {"takes-snapshot", "one-snapshot"}));
  out.push_back(
      word("23505", "PostgreSQL's code for a key that is there already",
           "Two transactions insert the same key: the second waits for the "
           "first, and fails if that commits. Where the application checked "
           "before whether the key is free, that check was no protection, and "
           "the constraint is what saved it.",
           "INSERT .. ON CONFLICT, or catch the error and look again.",
           {"unique-violation", "sqlstate-23505", "1062", "er-dup-entry",
            "ora-00001", "sqlite-constraint-unique",
            "sqlite-constraint-primarykey", "sqlite-constraint-rowid"}));
  out.push_back(
      word("23503", "PostgreSQL's code for a row that others refer to",
           "A foreign key: the row that is named is gone, or one that is still "
           "named shall go.",
           "Lock the parent (FOR KEY SHARE) before you rely on it.",
           {"foreign-key-violation", "sqlstate-23503", "1451", "1452",
            "ora-02291", "ora-02292", "sqlite-constraint-foreignkey"}));
  out.push_back(word("55P03",
                     "PostgreSQL's code for a lock that is not to be had",
                     "NOWAIT asked not to wait, or lock_timeout was over. The "
                     "transaction has failed.",
                     "Roll back and run the transaction again.",
                     {"lock-not-available", "sqlstate-55p03"}));
  out.push_back(
      word("25P02", "PostgreSQL's code for a transaction that has failed",
           "An earlier statement failed, and until ROLLBACK (or ROLLBACK TO a "
           "savepoint) every other one is refused.",
           "Look for the first error; catch it with a savepoint around it.",
           {"in-failed-sql-transaction", "sqlstate-25p02"}));
  out.push_back(word(
      "1205", "MySQL's and MariaDB's code for a lock that took too long",
      "After innodb_lock_wait_timeout the statement fails; the transaction "
      "is still open, unless innodb_rollback_on_timeout says otherwise.",
      "Roll back and run the transaction again.",
      {"er-lock-wait-timeout", "lock-wait-timeout"}));
  out.push_back(
      word("raised", "the routine itself raises an error (RAISE)",
           "The application refuses, as it does when money is short. The "
           "transaction is rolled back, and that is no violation.",
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
      "baseline", "an earlier report, with the marks that people gave",
      "--baseline REPORT: what was marked there as accepted or as a false "
      "alarm does not count any more. What is new is called new. A finding "
      "is known again by its statements, not by their lines.",
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

}  // namespace txscope::dictionary
