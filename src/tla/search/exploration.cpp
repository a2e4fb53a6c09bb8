#include <algorithm>

#include "base/big_thread.h"
#include "base/random.h"
#include "tla/search/checkpoint.h"
#include "tla/search/model_search.h"

namespace txscope::tla {
namespace {

/// Smaller levels are not worth waking anybody for.
constexpr std::size_t kWorthSharing = 512;

std::size_t states_in(const std::vector<Block>& blocks) {
  std::size_t sum = 0;
  for (const Block& block : blocks) sum += block.count;
  return sum;
}

}  // namespace

/// True if the state space was explored to its end.
bool ModelSearch::explore(ModelResult& result) {
  std::vector<Block> level;
  if (wants_record())
    for (auto& worker : workers_) worker->start_recording();
  if (request_.resume) {
    if (const auto& possible = workers_[0]->behaviour().possible;
        !possible.empty())
      fail(possible[0].spot, "_POSSIBLE is not kept by a checkpoint",
           "search without --resume");
    restore(level);
  } else {
    try {
      workers_[0]->start();
    } catch (const Fault&) {
      show_way_to_error(*workers_[0]);
      throw;
    }
    level = take_next();
  }
  for (;;) {
    if (const auto finding = take_finding()) {
      // What is wrong with the steps of a state is found when it is expanded.
      result.depth = shared_.level - (finding->is_expanded ? 1 : 0);
      report(result, *finding);
      return false;
    }
    if (level.empty() && !is_resumed_) break;
    if (!level.empty()) depth_ = result.depth = shared_.level;
    if (request_.max_depth && shared_.level >= *request_.max_depth) {
      result.is_cut_by_depth = true;
      return false;
    }
    if (!run_level(std::move(level), result)) return false;
    is_resumed_ = false;
    ++shared_.level;
    level = take_next();
  }
  finish_exploration(result);
  return true;
}

/// All states are known and nothing is wrong with them.
void ModelSearch::finish_exploration(ModelResult& result) {
  result.depth = depth_;
  result.outcome = Outcome::Holds;
  is_explored_ = true;
  result.checks_deadlock = shared_.check_deadlock && distinct() > 0;
  if (workers_[0]->program().variables().empty())
    result.emptiness = "there are no variables, so there are no states";
  else if (generated() == 0)
    result.emptiness = "there is no initial state";
  else if (distinct() == 0)
    result.emptiness = "no initial state satisfies the constraints";
}

std::vector<Block> ModelSearch::take_next() {
  std::vector<Block> level;
  for (auto& worker : workers_)
    for (Block& block : worker->take_next()) level.push_back(std::move(block));
  return level;
}

/// False if something ended the search in this level.
bool ModelSearch::run_level(std::vector<Block> level, ModelResult& result) {
  bool has_collected = false;
  for (auto& worker : workers_)
    has_collected = worker->collect_garbage(level) || has_collected;
  if (has_collected)
    for (auto& worker : workers_) worker->forget_imports();
  queue_ = states_in(level);
  distinct_before_ = shared_.seen.size();
  report_progress();
  const bool is_shared = queue_ >= kWorthSharing && workers_.size() > 1;
  WorkPool<Block> pool(is_shared ? static_cast<unsigned>(workers_.size()) : 1u);
  for (Block& block : level) pool.give(std::move(block));
  if (is_shared) {
    std::vector<BigThread> threads;
    for (auto& worker : workers_)
      threads.emplace_back(
          [this, &worker, &pool] { worker->run_level(pool, workers_); });
    for (BigThread& thread : threads) thread.join();
  } else {
    workers_[0]->run_level(pool, workers_);
  }
  for (auto& worker : workers_)
    if (worker->error) {
      show_way_to_error(*worker);
      throw Fault{*worker->error};
    }
  for (const auto& worker : workers_)
    if (result.trouble.empty()) result.trouble = worker->trouble;
  if (!shared_.stop && !budget_.spent_now()) return true;
  // Of what was found in a part of the level the least is reported.
  if (const auto finding = take_finding()) {
    report(result, *finding);
    return false;
  }
  result.spent = budget_.reason();
  // What could not be put aside is lost.
  if (request_.checkpoint && result.trouble.empty()) save(pool.rest(), result);
  return false;
}

std::uint64_t ModelSearch::identity_of(const Loader& loader,
                                       bool check_deadlock) const {
  return scramble(loader.fingerprint() ^ scramble(request_.seed)) +
         (check_deadlock ? 1 : 0) + (request_.use_natives ? 2 : 0);
}

/// Writes down what is needed to go on in the middle of a level: what is left
/// of it, the next one so far, and all fingerprints.
void ModelSearch::save(std::deque<Block> rest, ModelResult& result) {
  CheckpointWriter out(*request_.checkpoint);
  out.number(identity_);
  out.number(shared_.level);
  out.number(depth_);
  add_up(result);
  out.number(result.generated);
  const auto write_rows = [&](std::span<const Value> rows) {
    RowWriter writer;
    writer.add(rows);
    out.bytes(writer.take());
  };
  const auto write_block = [&](const Block& block, bool is_of_this_level) {
    if (block.aside)
      out.bytes(
          workers_[block.owner]->read_aside(*block.aside, is_of_this_level));
    else
      write_rows(block.rows);
  };
  out.number(rest.size() + workers_.size());
  out.number(workers_.size());
  for (const Block& block : rest) write_block(block, true);
  std::vector<Worker::Leftover> left;
  for (auto& worker : workers_) {
    left.push_back(worker->take_leftover());
    write_rows(left.back().states);
  }
  for (const Worker::Leftover& one : left) {
    out.number(one.unchecked.size());
    for (const Worker::Unchecked& u : one.unchecked) {
      out.number(u.fingerprint);
      out.number(u.parent);
      out.number(u.is_in_model ? 1 : 0);
    }
    write_rows(one.unchecked_rows);
  }
  std::size_t blocks = 0;
  for (const auto& worker : workers_) blocks += worker->next().size();
  out.number(blocks);
  for (const auto& worker : workers_)
    for (const Block& block : worker->next()) write_block(block, false);
  out.number(shared_.seen.size());
  shared_.seen.for_each([&](std::uint64_t fingerprint, std::uint64_t link) {
    out.number(fingerprint);
    out.number(link);
  });
  out.commit();
  result.checkpoint = *request_.checkpoint;
}

/// Takes up what save() wrote, whatever the number of workers was.
void ModelSearch::restore(std::vector<Block>& level) {
  CheckpointReader in(*request_.resume);
  if (in.number() != identity_)
    in.complain(
        "this checkpoint is of another specification, configuration or seed",
        "what was explored says nothing about a changed one; start anew");
  Worker& worker = *workers_[0];
  const auto read = [&] {
    auto rows = read_rows(in.bytes(), worker.program().store());
    if (!rows || rows->size() % worker.width() != 0)
      in.complain("this checkpoint is damaged");
    return std::move(*rows);
  };
  shared_.level = static_cast<std::uint32_t>(in.number());
  depth_ = static_cast<std::uint32_t>(in.number());
  worker.restore_generated(in.number());
  const std::uint64_t blocks = in.number();
  const std::uint64_t leftovers = in.number();
  for (std::uint64_t i = 0; i < blocks; ++i) {
    Block block;
    block.rows = read();
    block.count = block.rows.size() / worker.width();
    if (block.count > 0) level.push_back(std::move(block));
  }
  std::vector<Worker::Unchecked> unchecked;
  std::vector<Value> unchecked_rows;
  for (std::uint64_t i = 0; i < leftovers; ++i) {
    for (std::uint64_t n = in.number(); n > 0; --n) {
      Worker::Unchecked& u = unchecked.emplace_back();
      u.fingerprint = in.number();
      u.parent = in.number();
      u.is_in_model = in.number() != 0;
    }
    const std::vector<Value> rows = read();
    unchecked_rows.insert(unchecked_rows.end(), rows.begin(), rows.end());
  }
  if (unchecked_rows.size() != unchecked.size() * worker.width())
    in.complain("this checkpoint is damaged");
  worker.restore_unchecked(std::move(unchecked), std::move(unchecked_rows));
  for (std::uint64_t n = in.number(); n > 0; --n) worker.restore_next(read());
  for (std::uint64_t n = in.number(); n > 0; --n) {
    const std::uint64_t fingerprint = in.number();
    shared_.seen.restore(fingerprint, in.number());
  }
  in.finish();
  is_resumed_ = true;
}

void ModelSearch::report_progress() {
  if (!progress_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - reported_ < std::chrono::milliseconds(200)) return;
  reported_ = now;
  if (on_ranks_) return report_ranks();
  ModelResult so_far;
  add_up(so_far);
  std::size_t taken = 0;
  for (const auto& worker : workers_) taken += worker->expanded;
  progress_({so_far.generated, so_far.distinct,
             so_far.distinct - distinct_before_ + queue_ - taken,
             shared_.level});
}

std::optional<Finding> ModelSearch::take_finding() {
  std::optional<Finding> best;
  for (auto& worker : workers_) {
    if (!worker->finding) continue;
    if (!best || comes_before(*worker->finding, *best)) best = *worker->finding;
  }
  return best;
}

}  // namespace txscope::tla
