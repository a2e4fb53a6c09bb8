#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "check/facts/facts.h"
#include "check/facts/unique_values.h"
#include "model/history.h"

namespace txscope::check {

/// Fills a Facts.  Private to facts*.cpp; the steps, in this order:
///   scan        each transaction by itself: internal reads, visible writes;
///   index       visible writes and appends by key, then by value;
///   decide_parts  which transactions of unknown outcome count;
///   resolve     every external read to its writer, or to what is wrong.
class FactsBuilder {
 public:
  FactsBuilder(const History& history, Facts& facts, Facts::Scope scope,
               const ReadSet* ignored)
      : history_(history), facts_(facts), scope_(scope), ignored_(ignored) {}
  void build();

 private:
  using Part = Facts::Part;
  using Read = Facts::Read;
  static constexpr std::size_t kAhead = 12;  // operations

  /// A value that `writer` left in a register.
  struct Version {
    Atom value;
    TxnId writer;
    friend auto operator<=>(const Version&, const Version&) = default;
  };
  /// One append: the `rank`-th of its transaction to that list.
  struct Append {
    Atom value;
    OpId op;
    TxnId txn;
    std::uint32_t rank;
    bool is_last;
    friend auto operator<=>(const Append&, const Append&) = default;
  };
  /// A write that nobody may read.
  struct Hidden {
    KeyId key;
    Atom value;
    bool is_aborted;
    OpId op;
    friend auto operator<=>(const Hidden&, const Hidden&) = default;
  };
  /// What the reads of one list show.
  struct ListState {
    OpId longest = kNone<OpId>;
    std::uint32_t length = 0;     // external elements of `longest`
    std::uint32_t broken_at = 0;  // reads longer than this are incompatible
    std::uint32_t bad_at = 0;     // ... than this contain a bad element
    BadRead broken;
    std::uint32_t first_element = 0;  // into elements_
    bool is_open = false;
  };

  // facts.cpp
  void scan();
  void scan(TxnId t);
  void expect_op(std::size_t i) const;
  void add_writes(TxnId t);
  void index_writes();
  void decide_parts();
  void require(TxnId t, Part part);
  void follow(const Read& read, TxnId reader, Part part);
  void resolve_reads();
  void resolve(Read& read, TxnId reader);
  bool is_shared(std::uint64_t id);
  void open(Read& read, std::uint64_t id);
  bool is_initial(KeyId k, Atom value) const {
    return value == history_.initial(k) && !value.is_no_value();
  }
  BadRead read_of_own_later_write(const Read& read, TxnId reader) const;
  void reject(TxnId reader, BadRead bad);
  void drop_what_is_out();
  void index_versions();
  std::span<const Version> versions(KeyId k, Atom value);
  [[nodiscard]] std::span<Read> reads(TxnId t) {
    const auto& begin = facts_.read_begin_;
    return std::span(reads_).subspan(begin[t.index],
                                     begin[t.index + 1] - begin[t.index]);
  }
  BadRead explain_missing(OpId read, KeyId k, Atom value);
  void index_hidden();

  // list_facts.cpp
  void check_own_tail(TxnId t, OpId read);
  void index_appends();
  std::span<const Append> appends(KeyId k, Atom value) const;
  std::span<const Atom> external(OpId read) const;
  void follow_list(const Read& read, Part part);
  void order_lists();
  void compare_with_longest(Read& read, TxnId reader, Part part);
  void order_list(KeyId k, ListState& list);
  void find_version_order(ListState& list);
  void resolve_list(Read& read, TxnId reader);
  BadRead find_bad_element(const Read& read, std::span<const Atom> elements);
  [[nodiscard]] std::span<const Append> last_append(
      const ListState& list, std::span<const Atom> elements, KeyId k) const;
  void resolve_last_element(Read& read, TxnId reader,
                            std::span<const Append> found);
  BadRead read_of_unfinished_append(const Read& read, TxnId reader,
                                    std::span<const Append> found) const;
  BadRead read_of_own_later_append(const Read& read, TxnId reader) const;

  const History& history_;
  Facts& facts_;
  Facts::Scope scope_;
  const ReadSet* ignored_;  // or null

  // Scratch of scan(): what the current transaction did to each key.
  struct Own {
    std::uint32_t txn = 0;
    std::uint32_t last_op = 0;
    std::uint32_t appends = 0;
    std::uint32_t chain = 0;  // into own_chain_: its appends, latest first
  };
  std::vector<Own> own_;  // by key
  std::vector<std::pair<OpId, std::uint32_t>> own_chain_;
  std::vector<KeyId> touched_;

  std::vector<Read> reads_;  // rows as Facts::read_begin_ says
  UniqueValues unique_;
  /// Where those do not know: rows as Facts::writers_, sorted by value.
  std::vector<Version> versions_;
  std::vector<Append> appends_;  // by key, then value, then op
  std::vector<KeyId> append_keys_;
  std::vector<std::uint32_t> append_begin_;
  std::vector<ListState> lists_;         // by key; empty without lists
  std::vector<const Append*> elements_;  // of the longest reads; null: bad
  /// By element: who left it the last one; none if that is not so simple.
  std::vector<TxnId> element_writers_;
  std::vector<std::uint32_t> occurrences_;  // by first append of a value
  struct Followed {
    Part part = Part::Out;
    const Atom* data = nullptr;
    std::size_t length = 0;
  };
  std::vector<Followed> followed_;         // by key
  std::vector<std::uint8_t> is_followed_;  // parallel to versions_
  std::vector<TxnId> work_;
  std::vector<std::pair<TxnId, BadRead>> bad_;
  std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>>
      shared_candidates_;  // by place in versions_, or in appends_
  static constexpr std::uint64_t kListCandidates = std::uint64_t{1} << 63;
  std::optional<std::vector<Hidden>> hidden_;
  bool has_versions_ = false;
  bool has_lists_ = false;
  bool has_unknown_ = false;
};

}  // namespace txscope::check
