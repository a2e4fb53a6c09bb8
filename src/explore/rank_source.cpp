#include "explore/rank_source.h"

#include <utility>

namespace txscope::explore {
namespace {

/// Executions between two looks at what came: some hundred microseconds.
constexpr std::uint32_t kListenEvery = 64;

}  // namespace

void write(const WorkItem& item, ByteWriter& to) {
  to.number(item.is_pending ? 1 : 0);
  to.number(item.txns.size());
  for (const WorkItem::Txn& txn : item.txns) {
    to.number(txn.instance);
    to.number(txn.sources.size());
    for (const std::uint16_t source : txn.sources) to.number(source);
  }
}

WorkItem read_work(ByteReader& from) {
  WorkItem item;
  item.is_pending = from.number() != 0;
  for (std::uint64_t n = from.number(); n > 0 && from.is_good(); --n) {
    WorkItem::Txn& txn = item.txns.emplace_back();
    txn.instance = static_cast<std::uint16_t>(from.number());
    for (std::uint64_t k = from.number(); k > 0 && from.is_good(); --k)
      txn.sources.push_back(static_cast<std::uint16_t>(from.number()));
  }
  return item;
}

RankSource::RankSource(transport::Group& group, std::uint64_t search)
    : group_(group),
      search_(search),
      asked_(group.rank()),
      is_engaged_(group.rank() == 0) {
  if (group.rank() == 0) work_.emplace();  // the whole of the work
}

void RankSource::tell(unsigned to, Kind kind, std::string_view more) {
  ByteWriter message;
  message.number(search_);
  message.number(static_cast<std::uint64_t>(kind));
  group_.send_at_once(to, message.take() + std::string(more));
}

void RankSource::tell_all(Kind kind) {
  for (unsigned to = 0; to < group_.size(); ++to)
    if (to != group_.rank()) tell(to, kind);
}

void RankSource::listen(bool waits) {
  group_.receive(waits, [this](unsigned from, std::string_view bytes) {
    hear(from, bytes);
  });
}

void RankSource::hear(unsigned from, std::string_view bytes) {
  ByteReader message(bytes);
  if (message.number() != search_) return;
  switch (static_cast<Kind>(message.number())) {
    case Kind::Want: wanting_.push_back(from); return;
    case Kind::None: is_asking_ = false; return;
    case Kind::Work:
      is_asking_ = false;
      work_ = read_work(message);
      // Who has work already need not be waited for once more.
      if (is_engaged_) return tell(from, Kind::Done);
      is_engaged_ = true;
      engaged_by_ = from;
      return;
    case Kind::Done: --out_; return;
    case Kind::End: is_over_ = true; return;
    case Kind::Stop: was_stopped_ = true; return;
  }
}

std::optional<WorkItem> RankSource::take() {
  is_idle_ = true;
  while (!was_stopped_) {
    if (work_) {
      is_idle_ = false;
      return std::exchange(work_, std::nullopt);
    }
    look_for_end();
    if (is_over_) break;
    refuse_all();
    ask();
    listen(true);
  }
  return std::nullopt;
}

void RankSource::look_for_end() {
  if (!is_engaged_ || out_ > 0) return;
  is_engaged_ = false;
  if (group_.rank() != 0) return tell(engaged_by_, Kind::Done);
  is_over_ = true;
  tell_all(Kind::End);
}

void RankSource::ask() {
  if (is_asking_ || group_.size() == 1) return;
  do asked_ = (asked_ + 1) % group_.size();
  while (asked_ == group_.rank());
  is_asking_ = true;
  tell(asked_, Kind::Want);
}

void RankSource::refuse_all() {
  for (; !wanting_.empty(); wanting_.pop_front())
    tell(wanting_.front(), Kind::None);
}

bool RankSource::is_wanted() {
  if (++executions_ % kListenEvery == 0) listen(false);
  return !wanting_.empty();
}

void RankSource::give(WorkItem item) {
  const unsigned to = wanting_.front();
  wanting_.pop_front();
  ++out_;
  ByteWriter bytes;
  write(item, bytes);
  tell(to, Kind::Work, bytes.bytes());
}

void RankSource::stop() {
  if (was_stopped_) return;
  was_stopped_ = true;
  tell_all(Kind::Stop);
}

}  // namespace txscope::explore
