#include "engine/server/commuting.h"

#include <algorithm>
#include <bit>
#include <set>

#include "analysis/heap_order.h"
#include "analysis/one_row.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kMostCalls = 64;      // in a session, and of all 200
constexpr std::size_t kMostFollowed = 300;  // touches of all calls

using Kind = analysis::RowTouch::Kind;

/// One row of one table, found by its key and nothing else.
const std::optional<sql::Expr>* condition_of_one_row(
    const sql::DbStatement& statement) {
  if (const auto* update = std::get_if<sql::Update>(&statement.what))
    return &update->where;
  const auto* select = std::get_if<sql::Select>(&statement.what);
  if (select == nullptr) return nullptr;
  const sql::Query& query = **select;
  const bool is_plain = query.relations.size() == 1 &&
                        query.set == sql::SetKind::None && !query.is_nowait &&
                        !query.skips_locked && !query.limit && !query.offset &&
                        query.windows.empty() && !query.is_grouped;
  return is_plain ? &query.where : nullptr;
}

/// By session, the calls of which something is so, as bits.
template <class Is>
std::vector<std::uint64_t> calls_that(
    const std::vector<std::vector<analysis::CallTouch>>& uses, const Is& is) {
  std::vector<std::uint64_t> found;
  for (const auto& row : uses) {
    std::uint64_t bits = 0;
    for (std::size_t c = 0; c < row.size(); ++c)
      if (is(row[c])) bits |= std::uint64_t{1} << c;
    found.push_back(bits);
  }
  return found;
}

using Call = analysis::CallTouch;

/// Its statements run in the order of the text, each once at most.
bool is_straight(const Call& call) {
  return call.is_known && std::none_of(call.all.begin(), call.all.end(),
                                       [](const analysis::RowTouch& t) {
                                         return t.is_in_loop ||
                                                t.statement == nullptr;
                                       });
}

/// What is done from the touch `from` on, and what lasts of what was done.
Call lasting_part(const Call& call, std::size_t from) {
  Call part;
  part.draws = call.draws;
  for (std::size_t i = 0; i < call.all.size(); ++i)
    if (i >= from || call.all[i].kind != Kind::Read)
      part.all.push_back(call.all[i]);
  return part;
}

Call part_of(const Call& call, const sql::DbStatement* statement) {
  Call part;
  part.draws = call.draws;
  for (const analysis::RowTouch& touch : call.all)
    if (touch.statement == statement) part.all.push_back(touch);
  return part;
}

bool is_plain_read(const Call& call, const sql::DbStatement* statement) {
  const Call part = part_of(call, statement);
  return std::all_of(
      part.all.begin(), part.all.end(),
      [](const analysis::RowTouch& touch) { return touch.kind == Kind::Read; });
}

/// The calls of a session that have not ended.
std::uint64_t calls_left(const SessionState& session) {
  if (session.status == Status::Done) return 0;
  return ~std::uint64_t{0} << session.call;
}

}  // namespace

Commuting::Commuting(const Surroundings& around, const Calls& calls,
                     bool keeps_snapshots) {
  const sql::Application& application = around.routines.application();
  std::size_t count = 0;
  for (const auto& row : calls) {
    count += row.size();
    if (row.size() > kMostCalls) return;
  }
  if (count > 200 || around.routines.locks_tables()) return;
  std::vector<bool> own;
  for (std::uint32_t s = 0; s < application.schema.sequences.size(); ++s)
    own.push_back(around.has_own_numbers(s));
  // Where rows stand in a table, if somebody can tell, is everybody's doing.
  const std::vector<bool> has_order =
      analysis::heap_ordered_tables(application);
  Touches uses;
  std::vector<analysis::CallTouch> all;
  for (const auto& row : calls) {
    auto& session = uses.emplace_back();
    for (const sql::Call* call : row) {
      analysis::CallTouch use = analysis::row_touches(application, *call, own);
      for (analysis::RowTouch& one : use.all) {
        if (!has_order[one.table.index]) continue;
        one.key.reset();
        one.is_fresh = false;
      }
      all.push_back(use);
      session.push_back(std::move(use));
    }
  }
  std::size_t touches = 0;
  for (const Call& use : all) touches += use.all.size();
  note_meetings(uses, calls, !keeps_snapshots && touches <= kMostFollowed);
  note_writers(uses);
  if (std::all_of(all.begin(), all.end(),
                  [](const analysis::CallTouch& use) { return use.is_known; }))
    note(around, all);
}

// Of a call without loops, which is not run again, what is left is what stands
// behind; its locks last, and its COMMIT shows what it wrote.  Where a snapshot
// is kept, the first statement sees what all others read.
void Commuting::note_meetings(const Touches& uses, const Calls& calls,
                              bool follows) {
  std::vector<analysis::CallTouch> next;
  std::vector<analysis::CallTouch> left;
  for (std::size_t s = 0; s < uses.size(); ++s) {
    auto& mine = places_.emplace_back();
    for (std::size_t c = 0; c < uses[s].size(); ++c) {
      const analysis::CallTouch& use = uses[s][c];
      Places& places = mine.emplace_back();
      places.first = next.size();
      next.push_back(use);
      left.push_back(use);
      if (!follows || !is_straight(use) || calls[s][c]->retries > 0) continue;
      places.is_followed = true;
      const analysis::CallTouch lasting = lasting_part(use, use.all.size());
      next.push_back(lasting);  // its end
      left.push_back(lasting);
      for (std::size_t i = 0; i < use.all.size(); ++i) {
        const sql::DbStatement* statement = use.all[i].statement;
        if (statement == nullptr ||
            !places.of_statement.try_emplace(statement, next.size()).second)
          continue;
        left.push_back(lasting_part(use, i));
        next.push_back(is_plain_read(use, statement) ? part_of(use, statement)
                                                     : left.back());
      }
    }
  }
  meets_.resize(next.size(), std::vector<bool>(next.size()));
  for (std::size_t a = 0; a < next.size(); ++a)
    for (std::size_t b = 0; b < next.size(); ++b)
      meets_[a][b] = analysis::can_meet(next[a], left[b]);
}

void Commuting::note_writers(const Touches& uses) {
  for (const auto& row : uses) {
    auto& mine = writers_.emplace_back();
    for (const analysis::CallTouch& use : row) {
      Writers& writers = mine.emplace_back();
      if (!use.is_known) continue;
      for (const analysis::RowTouch& one : use.all) {
        if (one.statement == nullptr) continue;
        CallBits& found = writers[one.statement];
        found.resize(uses.size());
        const CallBits more =
            calls_that(uses, [&](const analysis::CallTouch& other) {
              return may_write(other, one);
            });
        for (std::size_t s = 0; s < found.size(); ++s) found[s] |= more[s];
      }
    }
  }
}

void Commuting::note(const Surroundings& around,
                     const std::vector<analysis::CallTouch>& all) {
  const sql::Application& application = around.routines.application();
  const std::size_t tables = application.schema.tables.size();
  std::vector<bool> moves(tables);         // rows go, or get other keys
  std::vector<bool> stands(tables, true);  // nothing comes or goes
  for (const analysis::CallTouch& call : all) {
    for (const analysis::RowTouch& use : call.all) {
      const std::size_t t = use.table.index;
      if (use.moves) moves[t] = true;
      if (use.is_strong() || use.moves || use.kind == Kind::Insert)
        stands[t] = false;
    }
  }
  const bool is_deadlock_free = analysis::cannot_deadlock(all);
  for (const analysis::CallTouch& call : all) {
    for (const analysis::RowTouch& first : call.all) {
      if (first.statement == nullptr) continue;
      const auto [entry, is_new] = statements_.try_emplace(first.statement);
      Facts facts{true, is_deadlock_free};
      std::size_t locks = 0;
      for (const analysis::RowTouch& use : call.all) {
        if (use.statement != first.statement) continue;
        const std::size_t t = use.table.index;
        facts.is_silent &= (use.kind == Kind::Insert && use.is_fresh) ||
                           (use.kind == Kind::Parent && stands[t]);
        const bool is_lock = use.kind == Kind::Update || use.kind == Kind::Lock;
        locks += is_lock ? 1 : 0;
        facts.may_come_later &= is_lock && !use.moves && !moves[t];
      }
      const auto* where = condition_of_one_row(*first.statement);
      facts.may_come_later &=
          locks == 1 && where != nullptr &&
          analysis::names_one_row(application.schema.at(first.table), *where);
      if (!call.draws.empty()) facts = Facts();
      // Other calls may give other reasons: all have to agree.
      if (is_new) {
        entry->second = facts;
      } else {
        entry->second.is_silent &= facts.is_silent;
        entry->second.may_come_later &= facts.may_come_later;
      }
    }
  }
  if (has_other_waits(all))
    for (auto& [statement, facts] : statements_) facts.may_come_later = false;
}

// Who waits is woken before anybody sends a statement; so if some statement
// waits, others must not come later instead.
bool Commuting::has_other_waits(
    const std::vector<analysis::CallTouch>& all) const {
  std::set<std::uint32_t> strong;
  for (const analysis::CallTouch& call : all)
    for (const analysis::RowTouch& use : call.all)
      if (use.is_strong() && use.kind != Kind::Insert)
        strong.insert(use.table.index);
  const auto waits = [&](const analysis::RowTouch& use) {
    if (use.kind == Kind::Parent) return strong.count(use.table.index) > 0;
    if (use.kind == Kind::Insert) return !use.is_fresh;
    return use.kind != Kind::Read;
  };
  for (const analysis::CallTouch& call : all)
    for (const analysis::RowTouch& use : call.all)
      if (waits(use) &&
          (use.statement == nullptr || !may_come_later(*use.statement)))
        return true;
  return false;
}

std::size_t Commuting::place_of(const SessionState& session,
                                SessionNo s) const {
  const Places& places = places_[s][session.call];
  if (!places.is_followed || session.status == Status::Waiting)
    return places.first;
  if (session.status != Status::Ready ||
      session.request.kind != sql::Request::Kind::Statement) {
    return places.first + 1;
  }
  const auto found = places.of_statement.find(session.request.statement);
  return found == places.of_statement.end() ? places.first : found->second;
}

bool Commuting::can_meet(const State& state, SessionNo next,
                         SessionNo rest) const {
  const SessionState& other = state.sessions[rest];
  if (other.status == Status::Done) return false;
  const auto& meets = meets_[place_of(state.sessions[next], next)];
  if (meets[place_of(other, rest)]) return true;
  for (std::size_t c = other.call + 1; c < places_[rest].size(); ++c)
    if (meets[places_[rest][c].first]) return true;
  return false;
}

SessionSet Commuting::persistent(const State& state, SessionNo s) const {
  if (places_.empty()) return ~SessionSet{0};
  SessionSet found = only(s);
  for (SessionSet open = found; open != 0;) {
    const auto at = static_cast<SessionNo>(std::countr_zero(open));
    open &= open - 1;
    for (SessionNo other = 0; other < state.sessions.size(); ++other) {
      if ((found & only(other)) != 0 || !can_meet(state, at, other)) continue;
      found |= only(other);
      open |= only(other);
    }
  }
  return found;
}

bool Commuting::is_silent(const sql::DbStatement& statement) const {
  const auto found = statements_.find(&statement);
  return found != statements_.end() && found->second.is_silent;
}

bool Commuting::may_come_later(const sql::DbStatement& statement) const {
  const auto found = statements_.find(&statement);
  return found != statements_.end() && found->second.may_come_later;
}

bool Commuting::reads_alone(const State& state, SessionNo s,
                            const sql::DbStatement& statement) const {
  if (writers_.empty()) return false;
  const Writers& mine = writers_[s][state.sessions[s].call];
  const auto found = mine.find(&statement);
  if (found == mine.end()) return false;
  for (SessionNo other = 0; other < state.sessions.size(); ++other)
    if (other != s &&
        (found->second[other] & calls_left(state.sessions[other])) != 0) {
      return false;
    }
  return true;
}

}  // namespace txscope::engine
