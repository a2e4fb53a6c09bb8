#include <algorithm>

#include "tla/ranks/coverage_exchange.h"
#include "tla/search/coverage.h"
#include "tla/search/model_search.h"

namespace txscope::tla {

namespace {

ranks::RankOptions rank_options(const ModelRequest& request, unsigned ranks,
                                std::uint64_t identity) {
  ranks::RankOptions options;
  options.depth = request.max_depth;
  if (request.memory_bytes)
    options.memory_bytes = *request.memory_bytes / ranks;
  options.disk = request.disk;
  options.disk_memory = request.disk_memory;
  options.checkpoint = request.checkpoint;
  options.resume = request.resume;
  options.identity = identity;
  return options;
}

}  // namespace

/// The part of the search that all ranks do.
ranks::RankSearch::End ModelSearch::explore_together() {
  on_ranks_ = std::make_unique<ranks::RankSearch>(
      *group_, workers_, shared_,
      rank_options(request_, group_->size(), identity_),
      [this](std::string_view file) { return loader_.find_source(file); });
  if (wants_record())
    for (auto& worker : workers_) worker->start_recording();
  const auto end = on_ranks_->explore();
  if (wants_record() && end == ranks::RankSearch::End::Explored)
    on_ranks_->collect_graph();
  if (request_.wants_coverage) {
    for (auto& worker : workers_) worker->evaluator().set_counting(false);
    rank_coverage_ = group_->all_gather(
        ranks::packed(coverage(workers_), on_ranks_->distinct_by_action()));
  }
  return end;
}

void ModelSearch::serve() {
  // TLCSet in an ASSUME is for all workers.
  Worker& worker = *workers_[0];
  for (const Def* assume : worker.program().assumptions())
    if (assume->is_impure) (void)worker.evaluator().holds(*assume, nullptr);
  if (request_.simulate) {
    ModelResult nobodys;
    return simulate(nobodys);
  }
  explore_together();
}

/// True if the state space was explored to its end.
bool ModelSearch::explore_on_ranks(ModelResult& result) {
  using End = ranks::RankSearch::End;
  const End end = explore_together();
  const ranks::RankReport& sum = on_ranks_->report();
  depth_ = result.depth = on_ranks_->depth();
  queue_ = 0;
  switch (end) {
    case End::Explored: break;
    case End::Failed: {
      if (so_far_ != nullptr) show_path_to_error(on_ranks_->path());
      if (sum.error->is_assertion)
        throw AssertionFault(sum.error->spot, sum.error->message);
      throw Fault{sum.error->error};
    }
    case End::Found:
      tell(result, *sum.finding);
      show_path(result, on_ranks_->path());
      return false;
    case End::TooDeep: result.is_cut_by_depth = true; return false;
    case End::Stopped:
      result.spent = sum.spent;
      result.trouble = sum.trouble;
      if (request_.checkpoint &&
          ranks::CheckpointDirectory::is_one(*request_.checkpoint))
        result.checkpoint = *request_.checkpoint;
      return false;
  }
  workers_[0]->restore_happened(sum.happened);
  finish_exploration(result);
  return true;
}

void ModelSearch::report_ranks() {
  ModelProgress all;
  all.depth = shared_.level;
  all.ranks = group_->size();
  std::uint64_t most = 0;
  for (const ranks::RankStatus& rank : on_ranks_->statuses()) {
    all.generated += rank.generated;
    all.distinct += rank.distinct;
    all.queue += rank.waiting;
    all.bytes_sent += rank.bytes_sent;
    most = std::max(most, rank.generated);
  }
  if (all.generated > 0)
    all.busiest = static_cast<double>(most) * all.ranks /
                  static_cast<double>(all.generated);
  progress_(all);
}

/// What other ranks counted, besides states.
void ModelSearch::add_other_ranks(ModelResult& result) const {
  const ranks::RankReport& others = on_ranks_->elsewhere();
  result.assertions += others.assertions;
  result.is_cut_by_constraint |= others.is_cut;
  for (const ranks::RankReport& r : on_ranks_->reports())
    result.ranks.push_back({r.generated, r.distinct, r.states_sent,
                            r.states_spared, r.bytes_sent, r.messages_sent});
  if (!result.coverage) return;
  ranks::DistinctByAction distinct = on_ranks_->distinct_by_action();
  for (std::size_t i = 1; i < rank_coverage_.size(); ++i)
    ranks::add_coverage(rank_coverage_[i], *result.coverage, distinct);
  ranks::add_distinct(distinct, *result.coverage);
}

}  // namespace txscope::tla
