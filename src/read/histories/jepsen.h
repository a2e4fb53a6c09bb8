#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/history_builder.h"
#include "read/histories/form/form_scalar.h"
#include "read/histories/jepsen_operation.h"
#include "read/histories/jepsen_text.h"
#include "read/list_text.h"

namespace txscope::read {

/// Turns the events of a Jepsen history into transactions, as they come.
///
/// A process does one operation at a time: an invocation and the next event of
/// the same process are one transaction, and a process is a session.
///   :ok    committed; what it did and saw is what the completion says
///   :fail  aborted
///   :info  of unknown outcome, as is an invocation that the file leaves
///          open; it writes what the invocation says and has no end
/// Events without :process pair up by what they do, each pair a session of
/// its own.  Events of other processes (:nemesis) are no transactions.
///
/// Time is the position of an event in the file, whatever :time and :index
/// say: recorded clocks go backwards, and :index, where it is ascending, puts
/// the events into the same order.  A completion without an invocation began
/// at the latest when its process was free, which is all that is known.
class JepsenHistory final : public KnownLists {
 public:
  JepsenHistory(const std::string& file, bool judge_aborted);

  [[nodiscard]] AtomTable& atoms() { return builder_.atoms(); }
  [[nodiscard]] Result<Done> add(const JepsenEvent& event, FormSource& source);
  [[nodiscard]] Result<History> finish() &&;

  [[nodiscard]] const ListText* of(const FormNode& key,
                                   std::string_view text) override;

 private:
  struct Invocation {
    std::int64_t start = 0;
    std::uint64_t line = 0;
    Operation operation;
  };
  struct Process {
    Atom name;
    SessionId session;
    std::uint32_t lives = 1;   // sessions that it has had
    bool is_crashed = false;   // its last operation has an unknown outcome
    std::int64_t free_at = 0;  // when its last operation was over
    std::optional<Invocation> running;
  };
  struct Finished {
    SessionId session;
    std::int64_t start;
    std::int64_t end;
    std::uint64_t line;
    Status status;
    std::optional<Atom> name;
  };

  Result<Done> invoke(const JepsenEvent& event, FormSource& source);
  Result<Done> complete(const JepsenEvent& event, FormSource& source);
  Result<Done> what_happened(const JepsenEvent& event, FormSource& source,
                             const Invocation* invocation);
  Result<std::optional<Invocation>> take_anonymous(const JepsenEvent& event,
                                                   FormSource& source);
  Operation spare();
  std::optional<Atom> name_of(const JepsenEvent& event);
  Process& process_of(const FormNode& node);
  void revive(Process& process);
  Result<Done> emit(const Finished& finished, const Operation& operation);
  void emit_step(const MicroOp& step, const Operation& operation,
                 Status status);
  void emit_list(KeyId key, const MicroOp& step, const Operation& operation);
  Result<Done> emit_open_invocations();

  std::string file_;
  HistoryBuilder builder_;
  bool judge_aborted_;
  std::int64_t last_index_ = -1;  // that named a transaction
  std::int64_t now_ = -1;         // position of the current event
  bool has_client_ = false;
  bool has_text_ = false;   // get, put, append
  bool has_plain_ = false;  // anything else
  std::unordered_map<std::uint64_t, Process> processes_;
  std::vector<Invocation> anonymous_;
  Operation operation_;  // of the current event
  std::vector<Operation> spares_;
  ListTexts lists_;
  std::vector<std::uint32_t> ends_;  // scratch of emit_list
  TextHistory text_;
};

struct Opened;
/// Reads a file of events: one map after the other, or a vector of them.
[[nodiscard]] Result<History> read_jepsen(Opened& opened, Notation notation);

}  // namespace txscope::read
