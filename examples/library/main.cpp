// Every verb of txscope from C++: what the command line does, as calls.
// Takes the directory examples/ of txscope and a directory to write to.
#include <txscope/analyze.h>
#include <txscope/audit.h>
#include <txscope/check.h>
#include <txscope/convert.h>
#include <txscope/explain.h>
#include <txscope/explore.h>
#include <txscope/generate.h>
#include <txscope/model.h>
#include <txscope/race.h>
#include <txscope/record.h>
#include <txscope/replay.h>
#include <txscope/report.h>
#include <txscope/robust.h>
#include <txscope/verify.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <variant>

using namespace txscope;

namespace {

const char* const kProgram =
    "var x\n"
    "session { txn { a = read x\n write x = a + 1 } }\n"
    "session { txn { a = read x\n write x = a + 1 } }\n"
    "invariant \"no increment is lost\" x == 2\n";

int failures = 0;

/// A verb has to end with this status.
void expect(const char* what, const Result<verb::Report>& report, int status) {
  if (!report) {
    std::printf("%-10s error: %s\n", what, report.error().what.c_str());
    ++failures;
    return;
  }
  const int found = verb::status_of(*report);
  std::printf("%-10s %d, %zu findings\n", what, found, report->findings.size());
  if (found != status) ++failures;
}

/// The evidence as values: here runs, step by step.
void tell(const verb::Report& report) {
  for (const verb::Finding& finding : report.findings)
    for (const std::size_t i : finding.shown) {
      const evidence::Shown& shown = report.shown[i];
      std::printf("%s: %s\n", shown.id.c_str(), shown.sentence.c_str());
      const auto* run = std::get_if<evidence::Run>(&shown.evidence);
      if (run == nullptr) continue;
      for (const evidence::Step& step : run->steps)
        std::printf("  %-4s %s\n", run->lanes[step.lane].c_str(),
                    step.text.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string examples = argv[1];
  const std::string scratch = argv[2];
  const Budget budget = Budget::unlimited();

  verb::ExploreRequest explored;
  explored.input = "two.txn";
  explored.text = kProgram;
  explored.level = "causal,serializable";
  const auto report = verb::explore(explored, budget);
  expect("explore", report, verb::kViolated);
  if (report) std::printf("%s\n", verb::text(*report).c_str());
  if (report) tell(*report);

  verb::VerifyRequest verified;
  verified.input = "two.txn";
  verified.text = kProgram;
  verified.level = "serializable";
  expect("verify", verb::verify(verified, budget), verb::kHolds);

  verb::RobustRequest robust;
  robust.input = "two.txn";
  robust.text = kProgram;
  expect("robust", verb::robust(robust, budget), verb::kHolds);

  std::string history;
  verb::GenerateRequest generated;
  generated.transactions = 100;
  generated.write = [&](std::string_view piece) { history += piece; };
  expect("generate", verb::generate(generated, budget), verb::kHolds);

  verb::CheckRequest checked;
  checked.inputs = {"generated.jsonl"};
  checked.text = history;
  checked.level = "serializable";
  expect("check", verb::check(checked, budget), verb::kHolds);

  // What a tester saw itself, without a file: two clients add to a list, and
  // each of two readers sees the other one's element only.
  using Kind = observed::Operation::Kind;
  verb::CheckRequest seen;
  seen.inputs = {"two lists"};
  seen.history.emplace();
  seen.history->transactions = {
      {"a", {{Kind::Append, "x", 1}}},
      {"b", {{Kind::Append, "y", 1}}},
      {"c", {{Kind::List, "x", {}, {1}}, {Kind::List, "y", {}, {}}}},
      {"d", {{Kind::List, "x", {}, {}}, {Kind::List, "y", {}, {1}}}}};
  seen.level = "snapshot-isolation";
  expect("check", verb::check(seen, budget), verb::kViolated);

  std::string converted;
  verb::ConvertRequest convert;
  convert.input = "generated.jsonl";
  convert.text = history;
  convert.to = "plume";
  convert.write = [&](std::string_view piece) { converted += piece; };
  expect("convert", verb::convert(convert, budget), verb::kHolds);

  verb::RecordRequest recorded;
  recorded.workload = "bank";
  recorded.db = "sqlite:" + scratch + "/bank.db";
  recorded.output = scratch + "/bank.jsonl";
  recorded.transactions = 20;
  expect("record", verb::record(recorded, budget), verb::kHolds);

  verb::AuditRequest audited;
  audited.input = recorded.output;
  expect("audit", verb::audit(audited, budget), verb::kHolds);

  verb::ModelRequest modelled;
  modelled.input = examples + "/tla/TwoPhase.tla";
  expect("model", verb::model(modelled, budget), verb::kHolds);

  verb::AnalyzeRequest analyzed;
  analyzed.inputs = {examples + "/tickets"};
  const auto found = verb::analyze(analyzed, budget);
  expect("analyze", found, verb::kViolated);

  // What analyze found, on a PostgreSQL of our own, and as a script.
  verb::ReplayRequest replayed;
  replayed.input = scratch + "/found.json";
  if (found) std::ofstream(replayed.input) << verb::json(*found);
  expect("replay", verb::replay(replayed, budget), verb::kViolated);

  verb::RaceRequest raced;
  raced.input = examples + "/race/oversell/case.json";
  expect("race", verb::race(raced, budget), verb::kViolated);

  expect("explain", verb::explain({"write-skew"}), verb::kHolds);
  return failures == 0 ? 0 : 1;
}
