#include "db/live/live_script.h"

namespace txscope::db {

LiveRequest ScriptClient::next() {
  if (transaction_ == script_.size()) return {};
  const std::vector<std::string>& statements = script_[transaction_];
  if (statement_ == statements.size())
    return {LiveRequest::Kind::Commit, "COMMIT"};
  const std::string& sql = statements[statement_];
  return {sql == "ROLLBACK" ? LiveRequest::Kind::Rollback
                            : LiveRequest::Kind::Statement,
          sql};
}

void ScriptClient::answer(const Answer& answer) {
  const LiveRequest::Kind asked = next().kind;
  LiveTransaction& transaction = transactions_[transaction_];
  if (asked == LiveRequest::Kind::Statement && answer.is_ok()) {
    transaction.answers.push_back(answer);
    ++statement_;
    return;
  }
  transaction.code = answer.code;
  transaction.is_committed =
      answer.is_ok() && asked == LiveRequest::Kind::Commit;
  ++transaction_;
  statement_ = 0;
}

std::string ScriptClient::account() const {
  std::string text;
  for (const LiveTransaction& transaction : transactions_) {
    text += text.empty() ? "[" : " [";
    for (const Answer& answer : transaction.answers) {
      if (answer.columns.empty()) text += std::to_string(answer.count);
      for (const auto& row : answer.rows) {
        text += "(";
        for (const Cell& cell : row) text += cell.value_or("NULL") + ",";
        text.back() = ')';
      }
      text += "; ";
    }
    text += transaction.is_committed ? "committed]"
                                     : "aborted " + transaction.code + "]";
  }
  return text;
}

LiveClients script_clients(const std::vector<LiveScript>& scripts,
                           const Profile& level) {
  LiveClients clients;
  for (const LiveScript& script : scripts)
    clients.push_back(std::make_unique<ScriptClient>(script, level));
  return clients;
}

}  // namespace txscope::db
