#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/history_builder.h"

namespace txscope {

/// A history of get, put and append on text, turned into one of reads and
/// writes of registers.
class TextHistory {
 public:
  enum class Kind : std::uint8_t { Get, Put, Append };
  struct Entry {
    SessionId session;
    Status status;
    Kind kind;
    bool has_value;  ///< false: a Get whose result is not known
    std::int64_t start;
    std::int64_t end;
    std::uint64_t line;
    Atom key;
    Atom text;  ///< seen, put or appended
  };

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  void add(const Entry& entry) { entries_.push_back(entry); }
  [[nodiscard]] Result<Done> build(HistoryBuilder& builder);

 private:
  std::vector<Entry> entries_;
};

}  // namespace txscope
