#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/script.h"
#include "exec/sql/routine/process.h"
#include "explore/sql/search_statement.h"

namespace txscope::explore {

/// Runs the transactions of an application for the search: every open row that
/// a statement reads is a Read, every row it writes a Write; what they read and
/// write are the numbers of versions.  An error of SQL aborts.
///
/// Method.  A transaction is a function of the answers to its reads, so what it
/// does is a tree: a node is an event, its children are the answers.  The tree
/// grows where the search goes and is never forgotten, and each statement is
/// evaluated once per answer; afterwards a step is a walk along an edge.  A
/// node is all the state there is: it is the transaction's one slot.
///
/// Cost.  Memory grows with the number of different answers that transactions
/// get, not with the number of histories.
class Transactions : public exec::Runner {
 public:
  /// What to do about a write of a key that is not open.
  enum class NewKeys : std::uint8_t {
    GiveUp,  ///< ask for it and cancel the budget: the search starts again
    Open,    ///< open it at once; right if transactions run one by one, since
             ///< a row that nobody wrote yet was rightly not read
  };
  Transactions(const sql::Routines& routines, Universe& universe,
               const exec::Script& script, const Budget& budget,
               NewKeys new_keys = NewKeys::GiveUp);
  /// From now on remembers what statements gave, for statements().
  void keep_results() { keeps_results_ = true; }

  exec::Event start(exec::InstanceId instance, std::int64_t* slots) override;
  exec::Event answer(std::uint32_t pc, std::int64_t value,
                     std::int64_t* slots) override;
  exec::Event resume(std::uint32_t pc, std::int64_t* slots) override;
  bool holds(std::size_t condition, std::span<const std::int64_t> finals,
             const std::int64_t* const* locals, std::int64_t* scratch) override;
  bool can_commit(std::span<const std::int64_t* const> all) override;
  [[nodiscard]] Span place(std::uint32_t pc) const override;

  /// What became of a transaction, once it is over.
  struct Ended {
    bool is_committed = false;
    std::span<const sql::Value> variables;
    const sql::SqlError* error = nullptr;
  };
  [[nodiscard]] Ended ended(const std::int64_t* slots) const;

  /// One statement that a transaction has run, or its end.
  struct Ran {
    std::uint32_t pc = 0;  ///< of its events
    Span at;
    const sql::DbStatement* statement = nullptr;   ///< none: the end
    std::span<const sql::Value> variables;         ///< before it
    const sql::StatementResult* result = nullptr;  ///< none: it failed
    const sql::SqlError* error = nullptr;
  };
  /// Everything from the start to where the slots are; keep_results().
  [[nodiscard]] std::vector<Ran> statements(const std::int64_t* slots) const;

 private:
  static constexpr std::uint32_t kNoNode = 0xffffffffu;
  /// A statement about to run, or the end.
  struct State {
    exec::InstanceId instance;
    sql::Process process;
    sql::Request request = {};
    Drawn drawn = {};
    Claims::Changes claims = {};
    std::optional<sql::SqlError> error = {};  ///< of the database; ended by it
    std::uint32_t before = kNoNode;    ///< the state whose statement led here
    sql::StatementResult result = {};  ///< of that statement, if it is kept
    std::optional<sql::SqlError> caught = {};  ///< of that statement
    /// What sub-transactions wrote that are open: nobody sees it before they
    /// have succeeded.
    std::vector<StatementEffect::Write> held = {};
    /// What they wrote that have; to be written now.
    std::vector<StatementEffect::Write> ready = {};
    struct Saved {
      std::size_t held = 0;
      Claims::Changes claims;
    };
    std::vector<Saved> saved = {};  ///< by sub-transaction
  };
  struct Node {
    exec::Event event;
    std::uint32_t state = 0;
    std::uint32_t parent = kNoNode;  ///< the read before, of the same statement
    std::int64_t answer = 0;         ///< to that read
    /// Reads that are sure to follow this one, whatever the answers: a place
    /// in `reads_`, and how many.
    std::uint32_t next_read = 0;
    std::uint32_t reads_left = 0;
    std::uint32_t first_child = kNoNode;
    std::uint32_t next_sibling = kNoNode;
  };
  struct KeyHash {
    std::size_t operator()(const std::vector<std::int64_t>& key) const;
  };

  std::uint32_t add(Node node);
  std::uint32_t add_state(State state);
  /// The node that follows: from the start of a state's statement, or after the
  /// `answer` to the read at `parent`.
  std::uint32_t go_on(std::uint32_t state, std::uint32_t parent,
                      std::int64_t answer);
  /// Runs a state's process up to its next statement or its end.
  void advance(State& state);
  Node node_of(std::uint32_t state, exec::Stop stop) const;
  /// The first of some reads that the statement of a state is waiting for.
  Node read_node(std::uint32_t state, std::uint32_t parent,
                 std::uint32_t next_read, std::uint32_t reads_left) const;
  exec::Event at(std::uint32_t node, std::int64_t* slots) const;
  bool evaluate(const sql::Property& property,
                std::span<const std::int64_t> finals,
                std::span<const sql::Value> variables);

  const sql::Routines& routines_;
  const sql::Application& application_;
  Universe& universe_;
  const exec::Script& script_;
  const Budget& budget_;
  const NewKeys new_keys_;
  bool keeps_results_ = false;
  std::vector<std::uint32_t> roots_;  // by instance
  std::deque<Node> nodes_;
  std::deque<State> states_;
  std::vector<KeyId> reads_;
  std::unordered_map<std::vector<std::int64_t>, bool, KeyHash> judged_;
  std::vector<std::int64_t> judging_;
  std::vector<const Claims::Changes*> claimed_;
};

/// The tables that a condition can look at, and those that foreign keys tie to
/// them.
[[nodiscard]] std::vector<TableId> tables_of(
    const sql::Application& application, const sql::Property& property);

}  // namespace txscope::explore
