#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/footprint.h"
#include "engine/search/selection.h"
#include "engine/server/commuting.h"
#include "engine/server/trace.h"
#include "engine/server/versioned_statement.h"
#include "exec/sql/memory/database.h"
#include "model/product/error_class.h"
#include "model/product/profile.h"

namespace txscope::engine {

/// Codes of failures as small numbers; 0 is success.
class CodeTable {
 public:
  CodeTable() : names_{""} {}
  std::uint16_t number(const std::string& code);
  [[nodiscard]] const std::string& name(std::uint16_t number) const {
    return names_[number];
  }

 private:
  std::vector<std::string> names_;
};

/// What moves did, counted.
struct Happenings {
  std::uint64_t waits = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t commits = 0;
  std::uint64_t rows = 0;  ///< of the last statement that was done
  std::map<std::string, std::uint64_t> aborts;
  std::string undecided;  ///< why a run cannot be followed
};

/// Sessions on a database: who may do what, and what that does to the state.
/// A move leads to exactly one state.
///
/// A statement runs as a whole.  If it has to wait it keeps its locks and its
/// snapshot, and runs again from its start when a transaction that it waits for
/// has ended; then nothing else happens before it has run, except others that
/// were woken at the same time, in any order.
class Server {
 public:
  Server(const Surroundings& around, const Profile& profile,
         Selection selection);
  Server(const Surroundings& around, const Profile& profile)
      : Server(around, profile, Selection::all(around.routines.application())) {
  }

  [[nodiscard]] State initial(const sql::MemoryDatabase& database);
  /// In order of sessions; none: the run is over.
  [[nodiscard]] std::vector<Move> moves(const State& state) const;
  /// Does a move, and tells `trace`, if there is one, what happened.
  void apply(State& state, Move move, std::vector<TraceStep>* trace,
             Happenings& happenings);
  /// The session's next call, which has done nothing yet, is left out.
  void skip(State& state, SessionNo s);

  /// Whether the session's next step commutes with everything that others can
  /// do, now and later, and can never be prevented: it may be done first.
  [[nodiscard]] bool is_independent(const State& state, SessionNo s);
  /// The same as far as the step neither fails nor waits: see
  /// goes_on_quietly().
  [[nodiscard]] bool is_silent(const State& state, SessionNo s) const;
  /// Whether a step of the session was a statement that succeeded.
  [[nodiscard]] static bool goes_on_quietly(const State& before,
                                            const State& after, SessionNo s);
  /// The session's statement has to wait, and what comes of it comes of sending
  /// it later, too: the wait may be left out.
  [[nodiscard]] bool may_come_later(const State& before, const State& waiting,
                                    SessionNo s) const;
  /// Whether a step of the session only took locks, so that nothing is changed
  /// if it is taken just before the session's next one.  `rows`: that it found.
  [[nodiscard]] bool only_locks(const State& before, const State& after,
                                SessionNo s, std::uint64_t rows) const;
  /// Sessions whose steps are enough, as nothing that others can still do has
  /// to do with the next ones of these.
  [[nodiscard]] SessionSet persistent(const State& state, SessionNo s) const {
    return commuting_.persistent(state, s);
  }

  [[nodiscard]] const CodeTable& codes() const { return codes_; }
  [[nodiscard]] const Surroundings& around() const { return around_; }
  [[nodiscard]] const Selection& selection() const { return selection_; }
  [[nodiscard]] std::vector<std::vector<CallEnd>> ends(
      const State& state) const;

 private:
  void look_for_commuting_steps();
  [[nodiscard]] const sql::Call& call_of(const SessionState& session,
                                         SessionNo s) const;
  [[nodiscard]] Isolation isolation(const SessionState& session,
                                    SessionNo s) const;
  [[nodiscard]] bool may_be_written_by_others(
      const State& state, SessionNo s, const analysis::Footprint& print) const;
  [[nodiscard]] bool never_keeps_snapshots() const;
  void step(State& state, SessionNo s, std::vector<TraceStep>* trace,
            Happenings& happenings);
  void execute(State& state, SessionNo s, std::vector<TraceStep>* trace,
               Happenings& happenings);
  void commit(State& state, SessionNo s, std::vector<TraceStep>* trace,
              Happenings& happenings);
  /// A statement failed: the transaction, or what goes on after it.
  void fail(State& state, SessionNo s, const std::string& code,
            const std::string& message, std::vector<TraceStep>* trace,
            Happenings& happenings);
  void abort(State& state, SessionNo s, const std::string& code,
             const std::string& message, std::vector<TraceStep>* trace,
             Happenings& happenings);
  void fail(State& state, SessionNo s, const ErrorRow& error,
            std::vector<TraceStep>* trace, Happenings& happenings);
  void abort(State& state, SessionNo s, const ErrorRow& error,
             std::vector<TraceStep>* trace, Happenings& happenings);
  void roll_back(State& state, SessionNo s, std::vector<TraceStep>* trace,
                 Happenings& happenings);
  /// Locks and pending versions go, or become versions.
  void end_transaction(State& state, SessionNo s, bool is_commit);
  void next_call(State& state, SessionNo s, std::uint16_t code);
  void start(State& state, SessionNo s);
  /// Runs a process up to its next request that is a step of its own.
  void advance(State& state, SessionNo s,
               std::shared_ptr<sql::Process> process);

  void fill_tables(State& state, const sql::MemoryDatabase& database);

  // nesting.cpp: sub-transactions, and COMMIT in the middle of a call.
  void nest(State& state, SessionNo s, const sql::Request& request);
  [[nodiscard]] bool survives(State& state, SessionNo s,
                              const std::string& code,
                              const std::string& message,
                              std::vector<TraceStep>* trace);
  void roll_back_to(State& state, SessionNo s, std::vector<TraceStep>* trace);
  void end_and_go_on(State& state, SessionNo s, std::vector<TraceStep>* trace,
                     Happenings& happenings);
  void find_deadlock(State& state, SessionNo s, bool is_new = true);
  void grant_locks(State& state);
  void clean(State& state);
  [[nodiscard]] bool may_retry(const SessionState& session, SessionNo s,
                               const std::string& code) const;
  [[nodiscard]] TraceStep make_step(const State& state, SessionNo s,
                                    TraceStep::Kind kind) const;

  const Surroundings& around_;
  const Profile& profile_;
  const Selection selection_;
  std::vector<std::vector<Isolation>> isolations_;  ///< by session and position
  std::vector<std::vector<analysis::Footprint>>
      footprints_;  ///< of calls from there on
  std::unordered_map<const sql::DbStatement*, analysis::Footprint> statements_;
  bool keeps_finished_ = false;
  Commuting commuting_;
  CodeTable codes_;
};

}  // namespace txscope::engine
