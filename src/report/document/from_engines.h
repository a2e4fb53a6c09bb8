#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/answer.h"
#include "report/document/document.h"

// The parts that runs of several verbs share.
namespace txscope::report::document {

/// Lanes, arrows, tables, rule, serial orders, cycle and repairs of one run.
[[nodiscard]] Finding finding_of(const Workload& workload,
                                 const Counterexample& example);

/// Where reads and writes of a run meet: arrows between its steps, by their
/// numbers in `shown`, which has one entry per step of the run; none: it is not
/// shown.
[[nodiscard]] std::vector<Arrow> arrows_of(
    const std::vector<txscope::Step>& run,
    const std::vector<std::optional<std::size_t>>& shown);

/// Arrows with the same ends are one, with all its rows.
class ArrowList {
 public:
  void add(Arrow::Kind kind, std::size_t from, std::size_t to,
           const std::string& row);
  [[nodiscard]] std::vector<Arrow> done() const;

 private:
  std::map<std::tuple<std::size_t, std::size_t, Arrow::Kind>,
           std::vector<std::string>>
      known_;
};

/// A smallest cycle of dependencies between committed transactions of a run;
/// may be empty.
[[nodiscard]] std::vector<Edge> cycle_of(const Workload& workload,
                                         const Counterexample& example);

/// The pieces of the files that these places are in, with some lines around.
[[nodiscard]] std::vector<Source> sources_of(const Workload& workload,
                                             const std::vector<Place>& places);

/// A repair that was tried, in these words.
[[nodiscard]] Repair tried_repair(const Workload& workload, std::string what,
                                  const txscope::Repair& repair);

/// The lines that a repair changes; its numbers count in the workload's text,
/// the places in files.
[[nodiscard]] std::vector<ChangedLine> changed_lines(
    const Workload& workload, const txscope::Repair& repair);

}  // namespace txscope::report::document
