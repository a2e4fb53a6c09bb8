#include "audit/search/number_search.h"

#include <algorithm>
#include <set>
#include <utility>

namespace txscope::audit {
namespace {

constexpr std::uint64_t kMostChoicesOfNumber = 4096;
/// Copies of long logs take their time, too.
constexpr std::uint64_t kMostWork = 400'000;  // transactions searched

class NumberSearch {
 public:
  NumberSearch(const LoadedLog& log, const AuditLevel& level,
               const Budget& budget, std::uint64_t most_tries)
      : log_(log), level_(level), budget_(budget), most_tries_(most_tries) {
    copy_ = log.whole();
    copy_.transactions.clear();
    copy_.transactions.reserve(copy_.txns.size());
    for (Txn& txn : copy_.txns) {
      copy_.transactions.push_back(*txn.log);
      txn.log = &copy_.transactions.back();
    }
    choices_left_ =
        std::min(kMostChoicesOfNumber, kMostWork / (copy_.txns.size() + 1) + 1);
  }

  Found run() {
    Found first = search_once();
    if (first.answer != Outcome::Violated) return first;
    collect();
    if (draws_.empty()) return first;
    if (choose(0)) return std::move(holds_);
    if (is_open_) {
      first.answer = Outcome::Undecided;
      first.reason = "ids that the database generated were not observed";
      return first;
    }
    // It was tried with other numbers, too.
    first.core.clear();
    return first;
  }

 private:
  struct Place {
    sql::LogStatement* statement = nullptr;
    std::size_t nth = 0;
    std::uint32_t sequence = 0;
  };

  /// With the numbers that the copy assumes, and fresh ones for the others.
  Found search_once() {
    NextIds ids = log_.new_ids();
    ids.avoid_named();
    Found found =
        search(copy_, log_.initial(), level_, ids, budget_, most_tries_);
    if (found.answer == Outcome::Holds)
      found.given = given_ids(copy_.txns, ids);
    drawn_ = ids.draws();
    return found;
  }

  /// What was drawn becomes what is assumed.
  void collect() {
    for (sql::LogTransaction& t : copy_.transactions)
      for (sql::LogStatement& s : t.statements) {
        const auto drawn = drawn_.find(&s);
        if (drawn == drawn_.end()) continue;
        for (const NextIds::Draw& draw : drawn->second) {
          if (log_.id_use().is_told(draw.sequence))
            draws_.push_back({&s, s.generated.size(), draw.sequence});
          s.generated.push_back(draw.number);
        }
      }
  }

  /// Whether some choice for the draws from `i` on explains the log.
  bool choose(std::size_t i) {
    if (is_open_ && budget_.spent_now()) return false;
    if (i == draws_.size()) return is_explained();
    // None of the numbers of the log; that all are so was tried before.
    if (choose(i + 1)) return true;
    const Place& place = draws_[i];
    std::int64_t& number = place.statement->generated[place.nth];
    const std::int64_t fresh = number;
    for (const std::int64_t named : log_.id_use().named()) {
      if (choices_left_ == 0) break;
      if (!taken_.emplace(place.sequence, named).second) continue;
      number = named;
      ++assumed_;
      const bool is_found = choose(i + 1);
      --assumed_;
      taken_.erase({place.sequence, named});
      number = fresh;
      if (is_found) return true;
    }
    return false;
  }

  bool is_explained() {
    if (assumed_ == 0) return false;
    if (choices_left_ == 0 || budget_.spent_now()) {
      is_open_ = true;
      return false;
    }
    --choices_left_;
    is_open_ |= choices_left_ == 0;
    Found found = search_once();
    // Numbers for what was not drawn before have not been chosen.
    is_open_ |= found.answer == Outcome::Undecided || !drawn_.empty();
    if (found.answer != Outcome::Holds) return false;
    holds_ = std::move(found);
    return true;
  }

  const LoadedLog& log_;
  const AuditLevel& level_;
  const Budget& budget_;
  std::uint64_t most_tries_;
  WholeLog copy_;
  NextIds::Draws drawn_;  // by the last search
  std::vector<Place> draws_;
  std::set<std::pair<std::uint32_t, std::int64_t>> taken_;
  std::size_t assumed_ = 0;
  std::uint64_t choices_left_ = 0;
  Found holds_;
  bool is_open_ = false;
};

}  // namespace

Found search_numbers(const LoadedLog& log, const AuditLevel& level,
                     const Budget& budget, std::uint64_t most_tries) {
  return NumberSearch(log, level, budget, most_tries).run();
}

std::vector<GivenIds> given_ids(const std::vector<Txn>& txns,
                                const NextIds& ids) {
  std::vector<GivenIds> given;
  for (const Txn& txn : txns)
    for (std::size_t k = 0; k < txn.log->statements.size(); ++k) {
      const sql::LogStatement& s = txn.log->statements[k];
      GivenIds one{txn.log->line, k, s.generated};
      const auto drawn = ids.draws().find(&s);
      if (drawn != ids.draws().end())
        for (const NextIds::Draw& draw : drawn->second)
          one.ids.push_back(draw.number);
      if (!one.ids.empty()) given.push_back(std::move(one));
    }
  return given;
}

}  // namespace txscope::audit
