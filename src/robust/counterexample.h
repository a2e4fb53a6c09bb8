#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/sql/explore_sql.h"
#include "model/answer.h"
#include "robust/search.h"
#include "txscope/evidence.h"

namespace txscope::robust {

/// An execution that is not as a serial one, in words, whatever language the
/// program has and whatever kind of level it runs at.
struct Counterexample {
  struct Step {
    evidence::Step told;  ///< its lane is one of `sessions`
    Span at = {};         ///< of a Statement
    /// It reads, and a change of it could help: a SELECT, a `read`.
    bool is_read = false;
    /// Which of `run` it tells; none: the beginning of a transaction.
    std::optional<std::size_t> of_run = std::nullopt;
  };
  /// Who runs what in `run`; a proof makes sessions of its own.
  Workload workload;
  std::vector<std::string> sessions;
  std::vector<Step> steps;  ///< in the order of time
  /// What happened, with the rows that were touched.
  std::vector<txscope::Step> run;
  /// The same transactions one after the other; none: too many orders.
  std::vector<txscope::SerialRun> serial;
  std::vector<std::string> transactions;
  std::size_t all_transactions = 0;
  std::vector<std::string> commit_order;
  std::vector<evidence::Edge> cycle;
  /// The one that read early and committed late.
  std::string delayed;
  /// An error that no serial order has; else empty.
  std::string new_error;
  /// Final rows, where values are the reason: "accounts (1, 0) (2, 5)".
  std::vector<std::string> finals;
  std::string anomaly;  ///< "write skew (G2-item)", as check calls it
  /// check: the history has the level; and is not serializable.  The second is
  /// false where only the order of blind writes is odd.
  bool is_of_level = false;
  bool is_refused = false;
  /// The interpreter could not follow the schedule: a bug in txscope.
  std::optional<std::string> problem;
};

/// Puts a found execution into words, with as few transactions as still show
/// it.  `exploration` is behind an application in SQL, else null.
[[nodiscard]] Counterexample explain(const explore::Subject& subject,
                                     const SearchQuestion& question,
                                     const SearchAnswer& answer,
                                     const sql::Application* application,
                                     const Budget& budget);

/// The smallest selections of transactions first, as far as affordable: calls
/// `breaks` with each until it is true.  Returns `all` if none is found.
[[nodiscard]] std::vector<exec::InstanceId> smallest_selection(
    const std::vector<exec::InstanceId>& all,
    const std::function<bool(const std::vector<exec::InstanceId>&)>& breaks,
    const Budget& budget);

}  // namespace txscope::robust
