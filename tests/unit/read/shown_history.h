#pragma once

#include <string>

#include "read/histories/history_source.h"

namespace txscope {

inline std::string status_letter(Status status) {
  switch (status) {
    case Status::Committed: return "c";
    case Status::Aborted: return "a";
    case Status::Unknown: return "u";
  }
  return "";
}

// Names without the colon of keywords.
inline std::string without_colons(std::string text) {
  for (std::size_t at = 0; (at = text.find("(:", at)) != std::string::npos;)
    text.erase(at + 1, 1);
  return text;
}

// One line per transaction: name, status, times, line, operations.
inline std::string shown(const History& history) {
  std::string all;
  for (std::uint32_t t = 1; t < history.size(); ++t) {
    const Txn& txn = history.at(TxnId(t));
    all += history.name(TxnId(t)) + " " + status_letter(txn.status) + " " +
           std::to_string(txn.start) + "-" +
           (txn.end == Txn::kNoTime ? "" : std::to_string(txn.end)) + " @" +
           std::to_string(txn.line) + ":";
    for (std::uint32_t op = txn.first_op; op < txn.end_op; ++op)
      all += " " + without_colons(history.describe(OpId(op)));
    all += "\n";
  }
  return all;
}

// The history of a text whose format is told by its content, or its error.
inline std::string shown_of(std::string text, read::ReadOptions options = {}) {
  auto source = read::open_history_text("h", std::move(text), options);
  if (!source)
    return to_string(source.error().where) + ": " + source.error().what;
  auto history = (*source)->next();
  if (!history)
    return to_string(history.error().where) + ": " + history.error().what;
  return shown(**history);
}

}  // namespace txscope
