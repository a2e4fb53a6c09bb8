#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::db {

/// Statements that a client prepared, and the values that it runs them with.
class PreparedStatements {
 public:
  void add(std::uint32_t number, std::string sql, std::size_t parameters);
  [[nodiscard]] const std::string* text_of(std::uint32_t number) const;
  void forget(std::uint32_t number) { statements_.erase(number); }

  /// Of a LongData's payload: a value that is sent before its Execute.
  void add_long_data(std::string_view payload);

  struct Run {
    std::string sql;
    std::vector<std::optional<std::string>> params;  ///< as text; none: NULL
    std::vector<std::uint16_t> types;  ///< of them, where they are known
  };
  /// Of an Execute's payload; none: nobody prepared that.
  [[nodiscard]] std::optional<Run> run(std::string_view payload);

 private:
  struct Statement {
    std::string sql;
    std::size_t parameters = 0;
    std::vector<std::uint16_t> types;
    std::map<std::size_t, std::string> apart;  ///< by parameter
  };
  [[nodiscard]] std::uint32_t meant(std::uint32_t number) const {
    return number == 0xFFFFFFFF ? last_ : number;
  }

  std::map<std::uint32_t, Statement> statements_;
  std::uint32_t last_ = 0;  ///< what -1 stands for
};

}  // namespace txscope::db
