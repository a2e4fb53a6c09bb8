#include "db/proxy/mariadb_tap.h"

#include <algorithm>
#include <charconv>

#include "db/mariadb_type.h"
#include "db/proxy/mariadb_own.h"
#include "model/product/error_class.h"

namespace txscope::db {
namespace {

/// "Rows matched: 2  Changed: 1  Warnings: 0": the rows that an UPDATE found.
std::uint64_t rows_of(const AnswerReader::Event& event) {
  constexpr std::string_view kMatched = "Rows matched: ";
  const std::size_t at = event.info.find(kMatched);
  if (at == std::string::npos) return event.rows;
  std::uint64_t count = 0;
  const char* from = event.info.data() + at + kMatched.size();
  std::from_chars(from, event.info.data() + event.info.size(), count);
  return count;
}

Column column_of(const ColumnDefinition& definition) {
  const ColumnType type = mariadb_type(definition.type, definition.charset);
  return {definition.name, kind_of(type), type};
}

/// Clients send numbers as what their language has, and texts for anything.
LoggedValue parameter_of(std::optional<std::string> value,
                         std::optional<std::uint16_t> type) {
  constexpr unsigned kSomeCharset = 33;
  LoggedValue result{std::move(value), ColumnType::Unknown};
  if (!type || !result.value) return result;
  result.type = mariadb_type(*type & 0xFFu, kSomeCharset);
  if (result.type == ColumnType::Text) result.type = ColumnType::Unknown;
  const bool is_whole =
      result.value->find_first_not_of("-0123456789") == std::string::npos;
  if (result.type == ColumnType::Double && is_whole)
    result.type = ColumnType::Integer;
  return result;
}

}  // namespace

void MariadbTap::client(std::string_view bytes) {
  if (!problem_.empty()) return;
  from_client_.feed(bytes, [&](const auto& packet) { take_client(packet); });
}

void MariadbTap::server(std::string_view bytes) {
  if (!problem_.empty()) return;
  from_server_.feed(bytes, [&](const auto& packet) { take_server(packet); });
}

void MariadbTap::give_up(std::string problem) {
  problem_ = std::move(problem);
  if (is_open_) end(LoggedTransaction::Status::Unknown);
  asked_.clear();
}

// What the client asks -------------------------------------------------------

void MariadbTap::take_client(const PacketSplitter::Packet& packet) {
  if (!problem_.empty()) return;
  if (!has_replied_) {
    has_replied_ = true;
    wish_ = login_wish(packet.payload);
    database_ = wish_.database;
    return;
  }
  // Other numbers: how it proves who it is, and files that the server wants.
  if (packet.sequence != 0 || packet.payload.empty()) return;
  Asked asked;
  asked.command =
      static_cast<Command>(static_cast<std::uint8_t>(packet.payload.front()));
  asked.payload = std::string(packet.payload);
  asked.is_large = !packet.is_whole;
  asked.at = clock_.now();
  asked_.push_back(std::move(asked));
  if (asked_.size() > limits_.pending)
    return give_up("too many messages without an answer");
  if (is_in_) start();
}

void MariadbTap::start() {
  while (!is_started_ && !asked_.empty()) {
    const Asked& asked = asked_.front();
    const std::string_view payload = asked.payload;
    const auto number =
        static_cast<std::uint32_t>(PacketReader(payload.substr(1)).number(4));
    switch (asked.command) {
      case Command::Quit: break;
      case Command::LongData: prepared_.add_long_data(payload); break;
      case Command::Close: prepared_.forget(number); break;
      default:
        is_started_ = true;
        answers_.expect(asked.command);
        start_statements(asked);
        if (asked.command == Command::ChangeUser) is_in_ = false;
        return;
    }
    asked_.pop_front();
  }
}

void MariadbTap::start_statements(const Asked& asked) {
  texts_.clear();
  params_.clear();
  columns_.clear();
  rows_.clear();
  next_ = 0;
  has_all_rows_ = true;
  if (asked.is_large) return;
  const std::string_view payload = asked.payload;
  if (asked.command == Command::Query)
    texts_ = mariadb_statements(payload.substr(1), mode_, wish_.has_statements);
  if (asked.command != Command::Execute) return;
  const auto run = prepared_.run(payload);
  if (!run) return;
  texts_ = mariadb_statements(run->sql, mode_, false);
  for (std::size_t i = 0; i < run->params.size(); ++i)
    params_.push_back(
        parameter_of(run->params[i], i < run->types.size()
                                         ? std::optional(run->types[i])
                                         : std::optional<std::uint16_t>()));
}

// What the server answers ----------------------------------------------------

void MariadbTap::take_server(const PacketSplitter::Packet& packet) {
  if (!problem_.empty() || packet.payload.empty()) return;
  if (!has_greeted_) {
    has_greeted_ = true;
    return;
  }
  if (!is_in_) {
    if (packet.payload.front() == '\0') logged_in();
    return;
  }
  if (!is_started_) return;
  const AnswerReader::Event event = answers_.take(packet.payload);
  using Told = AnswerReader::Event::Kind;
  switch (event.kind) {
    case Told::More:
    case Told::File: break;
    case Told::Column: note_column(packet.payload); break;
    case Told::Row: note_row(packet.payload, packet.is_whole); break;
    case Told::Result:
    case Told::Done:
    case Told::Failed:
    case Told::Prepared: answered(event); break;
  }
}

void MariadbTap::logged_in() {
  is_in_ = true;
  if (is_started_) {  // a change of the user
    if (is_open_) end(LoggedTransaction::Status::Aborted);
    database_ = database_of_change(asked_.front().payload);
    level_.clear();
    is_started_ = false;
    asked_.pop_front();
  }
  start();
}

void MariadbTap::note_column(std::string_view payload) {
  columns_.push_back(column_definition(payload));
}

void MariadbTap::note_row(std::string_view payload, bool is_whole) {
  if (!has_all_rows_) return;
  std::optional<std::vector<Cell>> cells;
  if (is_whole && kept_bytes_ + payload.size() < limits_.transaction)
    cells = row_values(payload, columns_,
                       asked_.front().command == Command::Execute);
  if (cells) {
    kept_bytes_ += cost_of(*cells);
    rows_.push_back(*std::move(cells));
    return;
  }
  // Half of the rows would be a wrong answer; none is no answer.
  has_all_rows_ = false;
  rows_.clear();
  ++unobserved_;
}

void MariadbTap::answered(const AnswerReader::Event& event) {
  using Told = AnswerReader::Event::Kind;
  const Asked& asked = asked_.front();
  switch (asked.command) {
    case Command::InitDb:
      if (event.kind == Told::Done) database_ = asked.payload.substr(1);
      break;
    case Command::Prepare:
      if (event.kind == Told::Prepared)
        prepared_.add(event.number,
                      asked.is_large ? "" : asked.payload.substr(1),
                      event.parameters);
      break;
    case Command::Query:
    case Command::Execute:
      if (event.kind == Told::Failed)
        note_failure(event);
      else
        note_result(event);
      break;
    default: break;
  }
  ++next_;
  columns_.clear();
  rows_.clear();
  has_all_rows_ = true;
  if (event.kind == Told::Result) return;
  is_started_ = false;
  asked_.pop_front();
  start();
}

const MariadbTap::Pieces* MariadbTap::current() const {
  if (texts_.empty()) return nullptr;
  // A procedure has as many results as it likes.
  return &texts_[std::min(next_, texts_.size() - 1)];
}

LoggedStatement MariadbTap::described() const {
  LoggedStatement statement;
  statement.start = asked_.front().at;
  statement.end = clock_.now();
  const Pieces* pieces = current();
  if (pieces == nullptr) {
    statement.opaque = kTooLarge;
    return statement;
  }
  const bool is_here = !is_elsewhere() || database_.empty();
  if (auto own = own_words(*pieces, world_.names, params_); own && is_here) {
    statement.sql = *std::move(own);
    statement.opaque = kOwnWords;
    return statement;
  }
  const LogWords words = log_words(*pieces, world_.names, mode_);
  statement.sql = words.sql;
  if (words.is_unseen || (is_elsewhere() && !database_.empty())) {
    statement.opaque = kTooLarge;
    if (!words.is_unseen) statement.sql.clear();
    return statement;
  }
  statement.params = params_;
  return statement;
}

void MariadbTap::note_result(const AnswerReader::Event& event) {
  const Pieces* pieces = current();
  if (next_ >= texts_.size() && pieces != nullptr) {
    // What a procedure gave: it is not seen what it did.
  } else if (pieces == nullptr || !is_control(*pieces)) {
    open();
    LoggedStatement statement = described();
    const bool is_seen = statement.opaque != kTooLarge;
    if (is_seen && !columns_.empty()) {
      for (const ColumnDefinition& column : columns_)
        statement.answer.columns.push_back(column_of(column));
      statement.has_rows = has_all_rows_;
      statement.answer.rows = std::move(rows_);
      statement.answer.count = statement.answer.rows.size();
      statement.has_count = !pieces->front().is_word("SELECT") &&
                            !pieces->front().is_word("WITH") &&
                            !pieces->front().is_sign("(");
    } else if (is_seen) {
      statement.has_count = (pieces->front().is_word("INSERT") ||
                             pieces->front().is_word("REPLACE") ||
                             pieces->front().is_word("UPDATE") ||
                             pieces->front().is_word("DELETE")) &&
                            !has_unclear_count(*pieces);
      statement.answer.count = rows_of(event);
      const LogWords words = log_words(*pieces, world_.names, mode_);
      if (!words.numbers.empty() && event.number_of_row > 0) {
        statement.sql += " RETURNING `" + words.numbers + "`";
        statement.answer.columns.push_back(
            {words.numbers, kind_of(ColumnType::Integer), ColumnType::Integer});
        for (std::uint64_t i = 0; i < statement.answer.count; ++i)
          statement.answer.rows.push_back(
              {std::to_string(event.number_of_row + i * world_.increment)});
        statement.has_rows = true;
      }
    }
    finish_statement(std::move(statement));
  }
  if (event.in_transaction)
    is_explicit_ = true;
  else if (is_open_)
    end(is_doubtful_ ? LoggedTransaction::Status::Unknown
                     : LoggedTransaction::Status::Committed);
}

void MariadbTap::note_failure(const AnswerReader::Event& event) {
  using Status = LoggedTransaction::Status;
  Answer answer;
  answer.code = std::to_string(event.code);
  answer.number = event.code;
  answer.sqlstate = event.sqlstate;
  answer.message = event.message;
  const Pieces* pieces = current();
  // What would not be in the log is not there when it fails, either.
  if (pieces != nullptr && is_idle(*pieces)) return;
  const bool is_commit = pieces != nullptr && !pieces->empty() &&
                         pieces->front().is_word("COMMIT");
  if (is_commit) {
    transaction_.error = std::move(answer);
    if (is_open_) end(Status::Aborted);
    return;
  }
  open();
  LoggedStatement statement = described();
  statement.answer = std::move(answer);
  finish_statement(std::move(statement));
  const ErrorRow* error = find_error(static_cast<std::int64_t>(event.code));
  const bool takes_all = error != nullptr && error->takes_all;
  if (takes_all || !is_explicit_) end(Status::Aborted);
}

void MariadbTap::finish_statement(LoggedStatement statement) {
  unknown_ += statement.opaque == kTooLarge ? 1 : 0;
  kept_bytes_ += statement.sql.size() + 200;
  if (kept_bytes_ > limits_.transaction) {
    const std::int64_t start = statement.start;
    const std::int64_t end = statement.end;
    statement = {};
    statement.start = start;
    statement.end = end;
    statement.opaque = kTooLarge;
    ++unknown_;
  }
  transaction_.statements.push_back(std::move(statement));
}

void MariadbTap::closed(bool by_server) {
  using Status = LoggedTransaction::Status;
  if (!is_open_ && asked_.empty()) return;
  if (!problem_.empty()) return;
  // A statement on its way may have committed; without one the server rolls
  // back what a client that hangs up has not committed.
  if (asked_.empty() && !by_server && !is_doubtful_) {
    end(Status::Aborted);
    return;
  }
  if (is_started_ && current() != nullptr) {
    open();
    LoggedStatement statement = described();
    if (statement.opaque != kTooLarge) finish_statement(std::move(statement));
  }
  if (is_open_) end(Status::Unknown);
}

}  // namespace txscope::db
