#include "tla/ranks/rank_search.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/random.h"
#include "base/work_pool.h"
#include "tla/code/code.h"

namespace txscope::tla::ranks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStatusEvery{250};
constexpr std::uint64_t kMemoryEvery = 64;  // pumps

std::uint64_t states_in_blocks(const std::vector<Block>& blocks) {
  std::uint64_t sum = 0;
  for (const Block& block : blocks) sum += block.count;
  return sum;
}

std::string text_of(const Error& error) {
  return to_string(error.where) + ": " + error.what;
}

std::vector<RankReport> without(std::vector<RankReport> reports,
                                std::size_t rank) {
  reports.erase(reports.begin() + static_cast<std::ptrdiff_t>(rank));
  return reports;
}

/// Of the memory of a rank: a third for states that it has seen lately, at up
/// to 48 bytes each while they are sorted, an eighth for those that wait, and a
/// twelfth for filters.
DiskSet::Limits disk_limits(std::uint64_t memory, std::size_t width) {
  constexpr std::uint64_t kFewest = 1000;
  constexpr std::uint64_t kMostWaiting = 500'000;
  const std::uint64_t recent = memory / 3 / 48;
  const std::uint64_t waiting = memory / 8 / (width * 16 + 96);
  return {std::max(kFewest, recent), std::clamp(waiting, kFewest, kMostWaiting),
          memory / 12};
}

/// The program itself needs some, and a quarter at least is for its sets.
std::uint64_t left_of(std::uint64_t memory) {
  const std::uint64_t used = resident_memory();
  return std::max(memory / 4, memory - std::min(memory, used));
}

/// Without --memory.
constexpr std::uint64_t kUsualMemory = std::uint64_t{2} << 30u;

}  // namespace

std::uint64_t action_key(std::string_view file, std::uint64_t line,
                         std::uint64_t column) {
  std::uint64_t key = scramble(line << 32u | column);
  for (const char c : file) key = scramble(key ^ static_cast<unsigned char>(c));
  return key | 1u;
}

RankSearch::RankSearch(transport::Group& group,
                       const std::vector<std::unique_ptr<Worker>>& workers,
                       Shared& shared, RankOptions options,
                       FindSource find_source)
    : group_(group),
      workers_(workers),
      worker_(*workers.front()),
      shared_(shared),
      options_(std::move(options)),
      find_source_(std::move(find_source)),
      outbox_(group, static_cast<char>(Tag::Batch)),
      statuses_(group.size()) {
  assert(workers.size() == 1 && "a rank has one worker");
  shared_.router = this;
  if (options_.disk)
    disk_ = std::make_unique<DiskSet>(
        shared.seen, *options_.disk,
        disk_limits(
            options_.disk_memory.value_or(left_of(
                options_.memory_bytes.value_or(kUsualMemory / group.size()))),
            worker_.width()),
        worker_.width(),
        [this](const SentState& state, std::span<const Value> row) {
          accept(state, row);
        });
  open_checkpoint();
}

/// By the high 48 bits, which is what states know of their parents; scrambled,
/// since the set finds its places by the highest bits.
unsigned RankSearch::owner_of(std::uint64_t fingerprint) const {
  const std::uint64_t spread = scramble(fingerprint >> 16u) >> 32u;
  return static_cast<unsigned>(spread * group_.size() >> 32u);
}

bool RankSearch::is_mine(std::uint64_t fingerprint) const {
  return owner_of(fingerprint) == group_.rank();
}

bool RankSearch::take(const Candidate& successor, const Value* row) {
  const unsigned owner = owner_of(successor.fingerprint);
  const bool is_own = owner == group_.rank();
  if (is_own && !disk_) return false;
  SentState state{successor.fingerprint, successor.parent, 0};
  if (successor.action != nullptr) {
    const Spot& spot = successor.action->spot;
    state.action = action_key(spot.source->file, spot.line, spot.column);
  }
  const std::span<const Value> values(row, worker_.width());
  if (is_own)
    disk_->offer(state, shared_.level + 1, values);
  else
    outbox_.add(owner, state, shared_.level + 1, values);
  return true;
}

void RankSearch::pump() {
  receive(false);
  if (++pumps_ % kMemoryEvery == 0) look_at_memory();
  if (Clock::now() - told_at_ >= kStatusEvery) tell_status();
}

void RankSearch::look_at_memory() {
  if (!options_.memory_bytes || resident_memory() <= *options_.memory_bytes)
    return;
  is_out_of_memory_ = true;
  shared_.stop = true;
}

RankStatus RankSearch::status() const {
  std::uint64_t next = 0;
  for (const Block& block : worker_.next()) next += block.count;
  return {worker_.generated, distinct_here(),
          waiting_ - worker_.expanded + next, group_.transport().bytes_sent()};
}

void RankSearch::tell_status() {
  told_at_ = Clock::now();
  if (group_.rank() == 0) return;
  const RankStatus mine = status();
  std::string bytes(1, static_cast<char>(Tag::Status));
  bytes.append(reinterpret_cast<const char*>(&mine), sizeof mine);
  group_.send_at_once(0, bytes);
}

const std::vector<RankStatus>& RankSearch::statuses() {
  statuses_[group_.rank()] = status();
  return statuses_;
}

void RankSearch::receive(bool waits) {
  group_.receive(waits, [this](unsigned from, std::string_view bytes) {
    take_message(from, bytes);
  });
}

void RankSearch::take_message(unsigned from, std::string_view bytes) {
  const auto tag = static_cast<Tag>(bytes.front());
  bytes.remove_prefix(1);
  switch (tag) {
    case Tag::Batch: return take_batch(read_batch(bytes));
    case Tag::Stop: shared_.stop = true; return;
    case Tag::Status:
      std::memcpy(&statuses_[from], bytes.data(), sizeof(RankStatus));
      return;
    case Tag::Graph: return add_to_graph(bytes);
  }
}

void RankSearch::take_batch(const Batch& batch) {
  if (batch.is_last) ++ended_;
  const std::uint32_t level = shared_.level + 1;
  if (shared_.stop) return;  // the level is not finished
  if (!batch.states.empty()) {
    const auto rows = read_rows(batch.rows, worker_.program().store());
    assert(rows && rows->size() == batch.states.size() * worker_.width() &&
           "what a rank sends can be read");
    for (std::size_t i = 0; i < batch.states.size(); ++i) {
      const SentState& state = batch.states[i];
      const std::span<const Value> row(rows->data() + i * worker_.width(),
                                       worker_.width());
      if (disk_)
        disk_->offer(state, level, row);
      else if (shared_.seen.insert(state.fingerprint, state.parent, level))
        accept(state, row);
    }
  }
  for (const SentLink& link : batch.links)
    if (disk_)
      disk_->offer({link.fingerprint, link.parent, 0}, level, {});
    else
      shared_.seen.insert(link.fingerprint, link.parent, level);
}

void RankSearch::accept(const SentState& state, std::span<const Value> row) {
  if (state.action != 0) ++distinct_by_action_[state.action];
  worker_.accept(state.fingerprint, state.parent, row.data());
}

/// Tells the others that they need not go on.
void RankSearch::stop_all() {
  if (std::exchange(has_told_, true)) return;
  const std::string bytes(1, static_cast<char>(Tag::Stop));
  for (unsigned i = 0; i < group_.size(); ++i)
    if (i != group_.rank()) group_.send_at_once(i, bytes);
}

/// What goes wrong on one rank is told to all at the end of the level.
void RankSearch::guarded(const std::function<void()>& run) {
  const auto note = [this](const Fault& fault) {
    shared_.stop = true;
    error_ = RankError{fault.error,       false, {}, {}, worker_.parent(),
                       worker_.checking()};
  };
  try {
    run();
  } catch (const Trouble& trouble) {
    shared_.stop = true;
    trouble_ = text_of(trouble.error);
  } catch (const AssertionFault& fault) {
    note(fault);
    error_->is_assertion = true;
    error_->spot = fault.spot;
    error_->message = fault.message;
  } catch (const Fault& fault) {
    note(fault);
  } catch (const Stopped&) {
    shared_.stop = true;
  }
}

RankSearch::End RankSearch::explore() {
  if (options_.resume) {
    restore();
  } else {
    guarded([this] { worker_.start(); });
    if (disk_) disk_->count_recent();
  }
  for (;;) {
    next_ = worker_.take_next();
    exchange_reports();
    if (sum_.error) {
      path_ = way_to(sum_.error->parent);
      if (sum_.error->checking != 0) path_.push_back(sum_.error->checking);
      return End::Failed;
    }
    if (sum_.finding) {
      const Finding& found = *sum_.finding;
      // What is wrong with the steps of a state is found when it is expanded.
      if (!sum_.is_stopped)
        depth_ = shared_.level - (found.is_expanded ? 1 : 0);
      path_ = way_to(found.is_stored ? found.fingerprint : found.parent);
      if (!found.is_stored) path_.push_back(found.fingerprint);
      return End::Found;
    }
    if (sum_.is_stopped || !sum_.trouble.empty()) return End::Stopped;
    if (sum_.waiting == 0) return End::Explored;
    depth_ = shared_.level;
    if (options_.depth && shared_.level >= *options_.depth) return End::TooDeep;
    if (sum_.wants_checkpoint) {
      save();
      if (!sum_.trouble.empty()) return End::Stopped;
    }
    run_level(std::exchange(next_, {}));
    ++shared_.level;
  }
}

void RankSearch::run_level(std::vector<Block> level) {
  ended_ = 0;
  waiting_ = states_in_blocks(level);
  if (worker_.collect_garbage(level)) worker_.forget_imports();
  WorkPool<Block> pool(1);
  for (Block& block : level) pool.give(std::move(block));
  worker_.run_level(pool, workers_);
  if (worker_.error)
    error_ =
        RankError{std::move(*worker_.error), false, {}, {}, worker_.parent(),
                  worker_.checking()};
  if (!worker_.trouble.empty()) trouble_ = worker_.trouble;
  if (shared_.budget->spent_now()) shared_.stop = true;
  if (shared_.stop) stop_all();
  outbox_.end_level();
  const auto finish = [this] {
    while (ended_ + 1 < group_.size()) receive(true);
    if (shared_.stop) return;
    if (disk_) disk_->resolve();
    worker_.check_new_states();
  };
  guarded(finish);
  // The others still send what belongs to this level.
  while (ended_ + 1 < group_.size()) receive(true);
}

void RankSearch::exchange_reports() {
  RankReport mine;
  mine.generated = worker_.generated;
  mine.distinct = distinct_here();
  mine.waiting = states_in_blocks(next_);
  mine.assertions = worker_.evaluator().assertions() + before_.assertions;
  mine.states_sent = outbox_.states();
  mine.states_spared = outbox_.spared();
  mine.bytes_sent = group_.transport().bytes_sent();
  mine.messages_sent = group_.transport().messages_sent();
  mine.is_cut = worker_.is_cut() || before_.is_cut;
  mine.wants_exit = worker_.evaluator().wants_exit();
  mine.is_stopped = shared_.stop;
  mine.spent = is_out_of_memory_ ? Spent::Memory : shared_.budget->reason();
  mine.happened = worker_.happened();
  mine.finding = worker_.finding;
  mine.error = error_;
  mine.trouble = trouble_;
  mine.wants_checkpoint = is_checkpoint_due();
  reports_.clear();
  for (const std::string& bytes : group_.all_gather(packed(mine)))
    reports_.push_back(unpacked(bytes, find_source_));
  sum_ = sum_of(reports_);
  elsewhere_ = sum_of(without(reports_, group_.rank()));
}

/// From an initial state to this one; each step is known to its owner.
std::vector<std::uint64_t> RankSearch::way_to(std::uint64_t fingerprint) {
  std::vector<std::uint64_t> path;
  for (std::uint64_t prefix = fingerprint; prefix >> 16u != 0;) {
    ByteWriter mine;
    const unsigned owner = owner_of(prefix);
    if (owner == group_.rank())
      if (const auto known =
              disk_ ? disk_->find(prefix) : shared_.seen.find(prefix)) {
        mine.number(known->fingerprint);
        mine.number(known->parent);
      }
    const std::string told = group_.all_gather(mine.bytes())[owner];
    if (told.empty()) break;
    ByteReader in(told);
    path.push_back(in.number());
    prefix = in.number();
  }
  std::reverse(path.begin(), path.end());
  return path;
}

void RankSearch::collect_graph() {
  constexpr std::size_t kStates = 4096;
  const auto send = [this](bool is_last, std::span<const std::uint64_t> states,
                           std::span<const Value> rows,
                           std::span<const std::uint64_t> steps) {
    const auto raw = [](std::span<const std::uint64_t> numbers) {
      return std::string_view(reinterpret_cast<const char*>(numbers.data()),
                              numbers.size_bytes());
    };
    RowWriter writer;
    writer.add(rows);
    ByteWriter out;
    out.number(is_last);
    out.text(raw(states));
    out.text(writer.take());
    out.text(raw(steps));
    group_.send(0, static_cast<char>(Tag::Graph) + out.take());
  };
  ended_ = 0;
  if (group_.rank() != 0) {
    const GraphRecord& record = *worker_.record();
    const auto& states = record.states();
    for (std::size_t i = 0; i < states.size(); i += kStates) {
      const std::size_t count = std::min(kStates, states.size() - i);
      std::vector<std::uint64_t> numbers;
      for (std::size_t k = i; k < i + count; ++k) {
        numbers.push_back(states[k].level);
        numbers.push_back(states[k].fingerprint);
      }
      send(false, numbers,
           std::span(record.rows())
               .subspan(i * worker_.width(), count * worker_.width()),
           {});
    }
    const std::span<const std::uint64_t> steps(record.steps());
    for (std::size_t i = 0; i < steps.size(); i += 2 * kStates)
      send(false, {}, {},
           steps.subspan(i, std::min(2 * kStates, steps.size() - i)));
    send(true, {}, {}, {});
  } else {
    while (ended_ + 1 < group_.size()) receive(true);
  }
  (void)group_.all_gather({});
}

void RankSearch::add_to_graph(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.number() != 0) ++ended_;
  const auto numbers = [&in] {
    const std::string_view raw = in.text();
    std::vector<std::uint64_t> result(raw.size() / sizeof(std::uint64_t));
    if (!raw.empty()) std::memcpy(result.data(), raw.data(), raw.size());
    return result;
  };
  const std::vector<std::uint64_t> states = numbers();
  const auto rows = read_rows(in.text(), worker_.program().store());
  assert(rows && "what a rank sends can be read");
  worker_.record()->add(states, *rows, numbers());
}

}  // namespace txscope::tla::ranks
