#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "read/sql/analyze/names.h"

namespace txscope::sql {

/// A text that is made of constants and values: CONCAT('... id = ', x).
struct MadeText {
  struct Piece {
    std::string text;
    std::optional<Names::Found> value;  ///< instead of a text
    bool is_quoted = false;             ///< QUOTE(x): a value as a literal
  };
  std::vector<Piece> pieces;
};

/// Which variables, and which names of PREPARE, have a text that is known at a
/// place of a program.
class KnownTexts {
 public:
  using Text = std::shared_ptr<const MadeText>;

  void know(std::uint32_t slot, Text text) {
    variables_[slot] = std::move(text);
  }
  void forget(std::uint32_t slot) { variables_.erase(slot); }
  [[nodiscard]] Text of(std::uint32_t slot) const;

  void prepare(const std::string& name, Text text) {
    prepared_[name] = std::move(text);
  }
  void deallocate(const std::string& name) { prepared_.erase(name); }
  [[nodiscard]] Text prepared(const std::string& name) const;

  void forget_all() { *this = {}; }

 private:
  friend class KnownBranches;
  std::map<std::uint32_t, Text> variables_;
  std::map<std::string, Text> prepared_;
};

/// Ways through IF and the like: each begins with what is known before, and
/// behind them is known what all of them left as it was.
class KnownBranches {
 public:
  explicit KnownBranches(KnownTexts& texts)
      : texts_(texts), before_(texts), left_(texts) {}
  KnownBranches(const KnownBranches&) = delete;
  KnownBranches& operator=(const KnownBranches&) = delete;
  ~KnownBranches() { texts_ = std::move(left_); }
  /// One is read.
  void next();

 private:
  KnownTexts& texts_;
  const KnownTexts before_;
  KnownTexts left_;
};

}  // namespace txscope::sql
