#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/sql/log.h"

namespace txscope::logs {

/// What the transactions of a log define: CREATE TABLE, ALTER TABLE and the
/// like, which change what later statements mean.
///
/// Nobody can tell whether a definition was there from the beginning if no
/// statement before it in the log names what it defines or changes: who used it
/// and ended before it has its line before it, and who had locked it would have
/// kept it waiting.  Such a definition may stand in the setup instead.  So a
/// log in which an application makes its tables first can be audited.
class LogDefinitions {
 public:
  explicit LogDefinitions(const sql::LogHeader& header);

  /// The next transaction of the log.
  void look(const sql::LogTransaction& transaction);
  /// For the end of the setup.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }
  [[nodiscard]] bool empty() const { return moved_.empty(); }
  /// Marks the statements of a transaction that the setup has instead: like
  /// questions to the catalogue they have nothing more to say.
  void mark(sql::LogTransaction& transaction) const;

 private:
  [[nodiscard]] bool may_move(const sql::LogTransaction& transaction,
                              const std::string& text);
  [[nodiscard]] bool is_named(const std::string& object) const;
  void note_words(std::string_view text);

  std::set<std::string, std::less<>> in_setup_;  ///< words of its definitions
  std::set<std::string, std::less<>> named_;  ///< so far, by other statements
  std::set<std::string, std::less<>> created_;
  std::vector<std::string> texts_;
  std::map<std::uint64_t, std::set<std::size_t>> moved_;  ///< by line
};

}  // namespace txscope::logs
