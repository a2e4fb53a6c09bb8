#include "robust/lens.h"

#include "explore/sql/sql_script.h"
#include "robust/sql_lens.h"

namespace txscope::robust {
namespace {

/// Of a `.txn` program.
class PlaceLens final : public Lens {
 public:
  explicit PlaceLens(std::unique_ptr<exec::Runner> runner)
      : runner_(std::move(runner)) {}

  exec::Runner& runner() override { return *runner_; }
  void show(const TransactionRun& run, Shown& to) override {
    for (const auto& read : run.reads) to.push_back(read.value);
  }
  void forget_names(std::vector<std::int64_t>&) override {}
  bool depends(const TransactionRun&, const TransactionRun::Read& read,
               const RowChange& change, Granularity granularity) override {
    if (!read.behind.empty()) return false;  // a place has one column
    return granularity != Granularity::Result || change.before != change.after;
  }

 private:
  const std::unique_ptr<exec::Runner> runner_;
};

}  // namespace

std::unique_ptr<Lens> make_lens(const exec::Script& script,
                                std::uint64_t loop_bound,
                                const Budget& budget) {
  // A script is flat code or an application; only the latter has statements.
  if (const auto* application =
          dynamic_cast<const explore::SqlScript*>(&script))
    return make_sql_lens(*application, budget);
  return std::make_unique<PlaceLens>(script.make_runner(loop_bound, budget));
}

}  // namespace txscope::robust
