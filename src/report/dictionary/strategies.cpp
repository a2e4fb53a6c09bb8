// How a verdict was found: the names that --evidence, JSON and audit's table
// give the ways of `check` and `audit`.
#include "report/dictionary/entries.h"

namespace txscope::report::dictionary {
namespace {

Entry way(std::string_view name, std::string_view summary,
          std::string_view text, std::vector<std::string_view> aliases = {}) {
  return {.kind = Kind::Term,
          .name = name,
          .summary = summary,
          .text = text,
          .aliases = std::move(aliases)};
}

void add_ways_of_check(std::vector<Entry>& out) {
  out.push_back(way(
      "strategy", "the way that a verdict was found",
      "Where there are many ways to decide, cheap ones are tried first, and "
      "the answer names the one that gave it. Whichever it was, the evidence "
      "is the same and --certify checks it alike.",
      {"strategies", "decided-by", "decided"}));
  out.push_back(way("version-orders", "by the order of each key's versions",
                    "Of read-uncommitted: the writes of each key have to fit "
                    "into one order of the transactions."));
  out.push_back(way("bad-read", "by a read that the level never allows",
                    "It shows an aborted, an intermediate or an invented "
                    "value, or one that its own transaction had overwritten.",
                    {"impossible-read"}));
  out.push_back(way("clocks", "by one pass with a clock per session",
                    "Decides the levels up to causal in nearly linear time: "
                    "every order that the level forces is followed, and a "
                    "circle of them refutes it."));
  out.push_back(
      way("known-versions", "by orders of versions that the history shows",
          "Lists, or times of commits, tell in which order versions were "
          "made. If one order of the transactions fits them, the level "
          "holds.",
          {"likely-versions"}));
  out.push_back(way(
      "search", "by looking through all that is left open",
      "What cheap ways leave open is searched: of a history the order of "
      "its versions by a solver that learns from conflicts, of an application "
      "every execution of the sessions in the file. A search that came to its "
      "end is a proof for these.",
      {"search-with-writers", "searched"}));
}

void add_ways_of_audit(std::vector<Entry>& out) {
  out.push_back(
      way("one-pass", "by one pass through the log in time's order",
          "Every answer fitted the state that the transactions "
          "before it had left. Most logs of correct databases are "
          "explained so.",
          {"times", "times-searched", "exact-times", "order-of-commits"}));
  out.push_back(
      way("all-orders", "by trying every order that is left open",
          "Sessions and, if the level is strict, times leave orders open. All "
          "were tried, or as many as the budget allowed; if none explains the "
          "log and all were tried, the log is refuted.",
          {"all-orders-of-few", "all-orders-of-mixed-levels", "short-search",
           "weakest-of-mixed-levels"}));
  out.push_back(way("row-history",
                    "by what the log says of single rows, whatever the order",
                    "Who wrote which version and who read it makes a history "
                    "of rows, which is checked like any other: a circle in it "
                    "refutes the log.",
                    {"few-rows", "order-of-row-history", "single-rows"}));
  out.push_back(
      way("founded-reads", "by who must commit before whom saw what",
          "Every value that was read has a writer that committed before. If "
          "writers cannot be ordered so, nothing explains what was seen."));
  out.push_back(way(
      "visible-values", "by the values that a statement can have been shown",
      "Who precedes whom leaves few versions that a statement "
      "can see. An answer that none of them gives refutes the "
      "log.",
      {"settled-answers", "versions-of-few-rows", "versions-of-all-rows"}));
}

}  // namespace

std::vector<Entry> strategy_entries() {
  std::vector<Entry> out;
  add_ways_of_check(out);
  add_ways_of_audit(out);
  return out;
}

}  // namespace txscope::report::dictionary
