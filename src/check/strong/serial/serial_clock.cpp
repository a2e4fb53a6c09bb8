#include "check/strong/serial/serial_clock.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "check/strong/serial/timeline.h"
#include "check/strong/session_layer.h"

namespace txscope::check {
namespace {

constexpr int kSweeps = 16;           // over the whole run
constexpr int kCoarseSweeps = 4;      // in which a session moves as a whole
constexpr double kShrink = 0.5;       // of the windows, per sweep
constexpr double kLeastWindow = 100;  // places, to each side
constexpr std::uint64_t kMostCells = 1 << 24;  // of dynamic programming
constexpr std::uint64_t kMostWork = 1 << 26;   // sessions times accesses

constexpr int kRepairs = 40;         // each with wider ranges
constexpr int kPatience = 4;         // repairs without progress
constexpr int kSweepsPerRange = 16;  // before what is best is kept
constexpr double kWiden = 1.3;       // of the ranges, per repair

class TimeGuess {
 public:
  TimeGuess(const SerialScript& script, const Budget& budget)
      : script_(script),
        budget_(budget),
        timeline_(script),
        layer_(timeline_),
        turns_(script.session_count()) {
    std::iota(turns_.begin(), turns_.end(), 0u);
    for (const std::uint32_t s : turns_)
      longest_ = std::max<double>(longest_, script_.session_size(s));
    // Sessions that go on by chance drift apart by the root of their length.
    drift_ = std::sqrt(longest_) * static_cast<double>(turns_.size());
  }

  GuessedTimes run() {
    std::size_t wrong = sweep_all();
    std::size_t least = wrong;
    int patience = kPatience;
    for (int repair = 0; wrong > 0 && repair < kRepairs; ++repair) {
      if (budget_.spent_now() || patience == 0) break;
      const double margin =
          std::max(kLeastWindow, drift_ / 4) * std::pow(kWiden, repair);
      const auto places = static_cast<std::uint32_t>(
          std::min<double>(margin, timeline_.size()));
      for (const Timeline::Range& range : timeline_.ranges_around_wrong(places))
        mend(range);
      wrong = timeline_.weigh(timeline_.all());
      patience = wrong < least ? kPatience : patience - 1;
      least = std::min(least, wrong);
    }
    const auto times = timeline_.times();
    return {{times.begin(), times.end()}, wrong};
  }

 private:
  // In windows that become narrower; how many reads are wrong then.
  std::size_t sweep_all() {
    const Timeline::Range all = timeline_.all();
    double window = 2 * drift_;
    std::size_t wrong = script_.accesses.size();
    for (int i = 0; i < kSweeps && wrong > 0; ++i) {
      sweep(all, window, i < kCoarseSweeps);
      if (budget_.spent_now()) break;
      window *= kShrink;
      wrong = timeline_.weigh(all);
    }
    return wrong;
  }

  // A place where the guess is wrong, by itself.
  void mend(const Timeline::Range& range) {
    std::size_t best = timeline_.weigh(range);
    auto kept = order_of(range);
    const double widest = std::min<double>(drift_, range.last - range.first);
    double window = widest;
    for (int i = 0; i < kSweepsPerRange && best > 0; ++i) {
      sweep(range, window, false);
      if (budget_.spent_now()) break;
      window = window < kLeastWindow ? widest : window * kShrink;
      const std::size_t wrong = timeline_.weigh(range);
      if (wrong > best) continue;
      best = wrong;
      kept = order_of(range);
    }
    timeline_.set_order(range, kept);
  }

  [[nodiscard]] std::vector<std::uint32_t> order_of(
      const Timeline::Range& range) const {
    const auto order = timeline_.order();
    return {order.begin() + range.first, order.begin() + range.last};
  }

  void sweep(const Timeline::Range& range, double window, bool moves_along) {
    const double size = std::min<double>(longest_, range.last - range.first);
    const double most = static_cast<double>(kMostCells) / size / 2;
    const auto places = static_cast<std::int64_t>(
        std::max(1.0, std::min(most, std::max(kLeastWindow, window))));
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      if (budget_.spent_now()) return;
      std::swap(turns_[i], turns_[i + random_.below(turns_.size() - i)]);
      layer_.lay(turns_[i], range, places, moves_along);
    }
  }

  const SerialScript& script_;
  const Budget& budget_;
  Timeline timeline_;
  SessionLayer layer_;
  std::vector<std::uint32_t> turns_;
  double longest_ = 1;  // session
  double drift_ = 0;    // of sessions, in places
  Random random_{1};
};

}  // namespace

GuessedTimes guess_times(const SerialScript& script, const Budget& budget) {
  if (script.session_count() * script.accesses.size() > kMostWork) return {};
  return TimeGuess(script, budget).run();
}

}  // namespace txscope::check
