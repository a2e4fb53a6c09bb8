// DO blocks that define something if it is not there yet, as migrations do:
// what they ask of the catalogue has an answer when they are read.

#include <algorithm>

#include "read/sql/file/reader.h"
#include "read/sql/schema/catalog_answer.h"

namespace txscope::sql {
namespace {

/// A definition, and under which IF it stands: tokens [from, to).
struct Guarded {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t guard = 0;  ///< of the guards; 0: none
};
struct Guard {
  std::size_t from = 0;
  std::size_t to = 0;
  bool asks_whether_missing = false;  ///< IF NOT EXISTS of some catalogue
};

/// Takes a block apart into definitions under conditions.
class BlockParts {
 public:
  explicit BlockParts(const std::vector<Token>& tokens) : tokens_(tokens) {}

  std::vector<Guard> guards = {{}};
  std::vector<Guarded> definitions;

  /// False: something else stands in it, too.
  bool read() {
    if (!is(at_++, "begin")) return false;
    std::size_t guard = 0;
    while (at_ < tokens_.size() && !is(at_, "exception")) {
      if (is(at_, "end")) {
        if (guard == 0) break;
        if (!is(at_ + 1, "if")) return false;
        guard = 0;
        at_ = end_of(at_, ";") + 1;
      } else if (guard == 0 && is(at_, "if")) {
        guard = condition();
      } else if (!statement(guard)) {
        return false;
      }
    }
    return guard == 0 && !definitions.empty();
  }

 private:
  [[nodiscard]] bool is(std::size_t at, std::string_view word) const {
    return at < tokens_.size() && tokens_[at].is(word);
  }
  [[nodiscard]] std::size_t end_of(std::size_t at,
                                   std::string_view word) const {
    while (at < tokens_.size() && !tokens_[at].is(word)) ++at;
    return at;
  }
  [[nodiscard]] bool is_one(std::size_t at,
                            std::initializer_list<std::string_view> all) const {
    return std::any_of(all.begin(), all.end(),
                       [&](std::string_view word) { return is(at, word); });
  }

  std::size_t condition() {
    Guard guard{at_ + 1, end_of(at_, "then"), false};
    bool asks_catalog = false;
    bool is_negated = false;
    for (std::size_t k = guard.from; k < guard.to; ++k) {
      is_negated |= is(k, "not") && is(k + 1, "exists");
      asks_catalog |= tokens_[k].word.starts_with("pg_") ||
                      tokens_[k].is("information_schema");
    }
    guard.asks_whether_missing = asks_catalog && is_negated;
    at_ = guard.to + 1;
    guards.push_back(guard);
    return guards.size() - 1;
  }

  bool statement(std::size_t guard) {
    const std::size_t end = end_of(at_, ";");
    const bool tells =
        is(at_, "raise") &&
        is_one(at_ + 1, {"notice", "info", "warning", "log", "debug"});
    const bool defines =
        is_one(at_, {"create", "alter", "comment", "grant", "drop"});
    // A view is kept as a tree, whose tokens have to be the file's.
    if (!tells && (!defines || end_of(at_, "view") < end)) return false;
    if (defines) definitions.push_back({at_, end, guard});
    at_ = end + 1;
    return true;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
};

}  // namespace

/// Whether what stands under an IF is run; none: nobody knows.
std::optional<bool> FileReader::is_true_now(const std::vector<Token>& tokens,
                                            std::size_t from,
                                            std::size_t to) const {
  if (from >= to) return std::nullopt;
  const Span span = source_.span(tokens[from].offset,
                                 tokens[to - 1].end() - tokens[from].offset);
  try {
    const Tree tree =
        parse_expression(source_, tokens, source_.text(span), span.offset);
    return catalog_condition(
        *tree.statement().select_stmt->target_list[0]->res_target->val,
        catalog_);
  } catch (const Failure&) {
    return std::nullopt;
  }
}

/// DO as migrations use it: definitions that are left out where they are there
/// already (IF NOT EXISTS of the catalog, EXCEPTION WHEN duplicate_object), or
/// where what they are for is missing.  False: it is something else.
bool FileReader::definitions_in(const std::vector<Token>& tokens) {
  BlockParts block(tokens);
  if (!block.read()) return false;
  for (std::size_t g = 1; g < block.guards.size(); ++g) {
    const Guard& guard = block.guards[g];
    if (!guard.asks_whether_missing &&
        !is_true_now(tokens, guard.from, guard.to))
      return false;
  }
  std::vector<std::optional<bool>> runs(block.guards.size());
  runs[0] = true;
  for (const Guarded& one : block.definitions) {
    const Guard& guard = block.guards[one.guard];
    // What came before it may have made what it asks for.
    if (!runs[one.guard])
      runs[one.guard] =
          is_true_now(tokens, guard.from, guard.to).value_or(true);
    if (!*runs[one.guard]) continue;
    const Span span =
        source_.span(tokens[one.from].offset,
                     tokens[one.to - 1].end() - tokens[one.from].offset);
    try {
      statement_at(span, tokens);
    } catch (Failure& failure) {
      if (!failure.is_there_already) throw;
    }
  }
  return true;
}

}  // namespace txscope::sql
