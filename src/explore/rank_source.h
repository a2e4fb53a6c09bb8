#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "explore/work_source.h"
#include "transport/group.h"

namespace txscope::explore {

/// Work for the ranks of one search.  Rank 0 begins with all of it; a rank that
/// has none asks the others in turn, and one that is at work gives away a part
/// that stands for itself.
///
/// Method.  The end is found as by Dijkstra and Scholten ("Termination
/// detection for diffusing computations", 1980): whoever gave a rank its first
/// work hears from it when it and all to whom it gave work in turn are done.
class RankSource : public WorkSource {
 public:
  /// `search` counts the searches of a run: what belongs to an earlier one and
  /// comes late is left aside.
  RankSource(transport::Group& group, std::uint64_t search);

  std::optional<WorkItem> take() override;
  bool is_wanted() override;
  void give(WorkItem item) override;
  void stop() override;
  bool was_stopped() override { return was_stopped_; }

 private:
  enum class Kind : std::uint8_t { Want, None, Work, Done, End, Stop };

  void tell(unsigned to, Kind kind, std::string_view more = {});
  void tell_all(Kind kind);
  void listen(bool waits);
  void hear(unsigned from, std::string_view bytes);
  void ask();
  void refuse_all();
  void look_for_end();

  transport::Group& group_;
  std::uint64_t search_;
  std::optional<WorkItem> work_;  // not taken yet
  std::deque<unsigned> wanting_;  // ranks that have asked
  bool is_idle_ = true;
  bool is_asking_ = false;
  unsigned asked_;  // the rank that was asked last
  bool is_engaged_;
  unsigned engaged_by_ = 0;
  std::uint64_t out_ = 0;  // given away, and not done
  bool is_over_ = false;
  bool was_stopped_ = false;
  std::uint32_t executions_ = 0;
};

void write(const WorkItem& item, ByteWriter& to);
[[nodiscard]] WorkItem read_work(ByteReader& from);

}  // namespace txscope::explore
