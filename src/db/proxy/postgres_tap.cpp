#include "db/proxy/postgres_tap.h"

#include <algorithm>
#include <charconv>

#include "db/postgresql_type.h"
#include "db/proxy/binary_value.h"
#include "db/proxy/statements.h"
#include "model/product/error_class.h"

namespace txscope::db {
using Status = LoggedTransaction::Status;

void PostgresTap::client(std::string_view bytes) {
  if (!problem_.empty()) return;
  if (!from_client_.feed(bytes, [&](const auto& m) { take_client(m); }))
    give_up("the client does not speak protocol 3");
}

void PostgresTap::server(std::string_view bytes) {
  if (!problem_.empty()) return;
  if (!from_server_.feed(bytes, [&](const auto& m) { take_server(m); }))
    give_up("the server does not speak protocol 3");
}

void PostgresTap::give_up(std::string problem) {
  problem_ = std::move(problem);
  if (is_open_) end(Status::Unknown);
  expected_.clear();
  prepared_.clear();
  portals_.clear();
}

void PostgresTap::expect(Expected expected) {
  expected.at = clock_.now();
  expected_.push_back(std::move(expected));
  if (expected_.size() > limits_.pending)
    give_up("too many messages without an answer");
}

// What the client asks -------------------------------------------------------

void PostgresTap::take_client(const WireSplitter::Message& message) {
  if (!problem_.empty()) return;
  using Kind = Expected::Kind;
  WireReader reader(message.body);
  Expected expected;
  switch (message.type) {
    case 'Q':
      expected.kind = Kind::Query;
      expected.is_large = !message.is_whole;
      if (message.is_whole) {
        const std::string_view text = reader.text();
        for (const std::string_view one : split_statements(text))
          expected.texts.emplace_back(one);
      }
      expect(std::move(expected));
      break;
    case 'P': expect_parse(message); break;
    case 'B': expect_bind(message); break;
    case 'D':
    case 'C':
      expected.kind = message.type == 'D' ? Kind::Describe : Kind::Close;
      expected.is_portal = reader.byte() == 'P';
      expected.name = reader.text();
      expect(std::move(expected));
      break;
    case 'E':
      expected.kind = Kind::Execute;
      expected.name = reader.text();
      expect(std::move(expected));
      break;
    case 'S':
      expected.kind = Kind::Sync;
      expect(std::move(expected));
      break;
    case 'F':
      expected.kind = Kind::FunctionCall;
      expect(std::move(expected));
      break;
    case 'd': copy_data(message); break;
    default: break;  // passwords, Flush, Terminate
  }
}

void PostgresTap::expect_parse(const WireSplitter::Message& message) {
  WireReader reader(message.body);
  Expected expected;
  expected.kind = Expected::Kind::Parse;
  expected.name = reader.text();
  if (!message.is_whole) {
    if (!reader.is_good()) return give_up("a name is too long");
    expected.prepared.is_large = true;
    return expect(std::move(expected));
  }
  expected.prepared.sql = reader.text();
  const unsigned count = reader.int16();
  for (unsigned i = 0; i < count && reader.is_good(); ++i)
    expected.prepared.oids.push_back(reader.int32());
  expect(std::move(expected));
}

void PostgresTap::expect_bind(const WireSplitter::Message& message) {
  WireReader reader(message.body);
  Expected expected;
  expected.kind = Expected::Kind::Bind;
  expected.name = reader.text();
  expected.portal.statement = reader.text();
  if (!message.is_whole) {
    // Neither the parameters nor the formats of the results are known.
    if (!reader.is_good()) return give_up("a name is too long");
    expected.is_large = true;
    return expect(std::move(expected));
  }
  const unsigned formats = reader.int16();
  for (unsigned i = 0; i < formats && reader.is_good(); ++i)
    expected.raw_binary.push_back(reader.int16() == 1);
  const unsigned count = reader.int16();
  for (unsigned i = 0; i < count && reader.is_good(); ++i) {
    const std::uint32_t size = reader.int32();
    if (size == 0xffffffffu)
      expected.raw.emplace_back();
    else
      expected.raw.emplace_back(reader.bytes(size));
  }
  const unsigned results = reader.int16();
  for (unsigned i = 0; i < results && reader.is_good(); ++i)
    expected.portal.binary.push_back(reader.int16() == 1);
  expect(std::move(expected));
}

// What the server answers ----------------------------------------------------

void PostgresTap::take_server(const WireSplitter::Message& message) {
  if (!problem_.empty()) return;
  using Kind = Expected::Kind;
  WireReader reader(message.body);
  Expected* first = front();
  const auto is = [&](Kind kind) {
    return first != nullptr && first->kind == kind;
  };
  switch (message.type) {
    case '1':
      if (is(Kind::Parse)) {
        prepared_[first->name] = std::move(first->prepared);
        pop();
      }
      break;
    case '2':
      if (is(Kind::Bind)) bound();
      break;
    case '3':
      if (is(Kind::Close)) {
        if (first->is_portal)
          portals_.erase(first->name);
        else
          prepared_.erase(first->name);
        pop();
      }
      break;
    case 't': parameter_types(reader); break;
    case 'n':
      if (is(Kind::Describe)) pop();
      break;
    case 'T': described(message); break;
    case 'D': row(message); break;
    case 'C': complete(reader.text()); break;
    case 'I':
      if (is(Kind::Execute)) pop();
      break;
    case 's': suspended(); break;
    case 'E': failed(reader); break;
    case 'Z': ready(static_cast<char>(reader.byte())); break;
    case 'G':
    case 'H':
    case 'W': copy_begins(reader); break;
    case 'd': copy_data(message); break;
    case 'V':
      if (is(Kind::FunctionCall)) called();
      break;
    default: break;  // notices, parameters, authentication
  }
}

void PostgresTap::parameter_types(WireReader& reader) {
  const Expected* first = front();
  if (first == nullptr || first->kind != Expected::Kind::Describe ||
      first->is_portal)
    return;
  const auto found = prepared_.find(first->name);
  if (found == prepared_.end()) return;
  found->second.oids.clear();
  const unsigned count = reader.int16();
  for (unsigned i = 0; i < count && reader.is_good(); ++i)
    found->second.oids.push_back(reader.int32());
}

/// ParseComplete and BindComplete may come long after a Describe told the types
/// of a statement's parameters, so they are decoded only now.
void PostgresTap::bound() {
  Expected expected = std::move(expected_.front());
  pop();
  Portal& portal = expected.portal;
  const auto found = prepared_.find(portal.statement);
  if (found == prepared_.end()) return;
  const Prepared& prepared = found->second;
  portal.sql = prepared.sql;
  for (std::size_t i = 0; i < expected.raw.size(); ++i) {
    const std::uint32_t oid = i < prepared.oids.size() ? prepared.oids[i] : 0;
    const auto& formats = expected.raw_binary;
    const bool is_binary = formats.size() == 1  ? formats[0]
                           : i < formats.size() ? formats[i]
                                                : false;
    LoggedValue value;
    value.type = oid == 0 ? ColumnType::Unknown : postgresql_type(oid);
    if (expected.raw[i] && !is_binary) {
      value.value = std::move(expected.raw[i]);
    } else if (expected.raw[i]) {
      value.value = from_binary(oid, *expected.raw[i]);
      if (!value.value) portal.logged.opaque = "binary parameter";
    }
    portal.params.push_back(std::move(value));
  }
  if (prepared.is_large || expected.is_large) {
    portal.logged.opaque = kTooLarge;
    portal.params.clear();  // of a text that is not known
  }
  if (prepared.columns && !expected.is_large) {
    portal.columns = prepared.columns;
    for (std::size_t c = 0; c < portal.columns->size(); ++c)
      (*portal.columns)[c].is_binary =
          portal.binary.size() == 1  ? portal.binary[0]
          : c < portal.binary.size() ? portal.binary[c]
                                     : false;
  }
  portals_[expected.name] = std::move(portal);
}

PostgresTap::Columns PostgresTap::row_description(WireReader& reader) const {
  Columns columns;
  const unsigned count = reader.int16();
  for (unsigned i = 0; i < count && reader.is_good(); ++i) {
    ColumnFormat made;
    made.column.name = reader.text();
    reader.bytes(6);  // table and column number
    made.oid = reader.int32();
    reader.bytes(6);  // size and modifier
    made.is_binary = reader.int16() == 1;
    made.column.type = postgresql_type(made.oid);
    made.column.kind = kind_of(made.column.type);
    columns.push_back(std::move(made));
  }
  return columns;
}

void PostgresTap::described(const WireSplitter::Message& message) {
  WireReader reader(message.body);
  Expected* first = front();
  if (first == nullptr) return;
  Columns columns = row_description(reader);
  if (first->kind == Expected::Kind::Query) {
    if (LoggedStatement* statement = current()) {
      for (const ColumnFormat& one : columns)
        statement->answer.columns.push_back(one.column);
      statement->has_rows = true;
    }
    simple_columns_ = std::move(columns);
    return;
  }
  if (first->kind != Expected::Kind::Describe) return;
  if (first->is_portal) {
    const auto found = portals_.find(first->name);
    if (found != portals_.end()) {
      // The same statement, bound again, may not be described again.
      const auto prepared = prepared_.find(found->second.statement);
      if (prepared != prepared_.end()) prepared->second.columns = columns;
      found->second.columns = std::move(columns);
    }
  } else {
    const auto found = prepared_.find(first->name);
    if (found != prepared_.end()) found->second.columns = std::move(columns);
  }
  pop();
}

LoggedStatement* PostgresTap::current() {
  Expected* first = front();
  if (first == nullptr) return nullptr;
  if (first->kind == Expected::Kind::Query) {
    open(first->at);
    if (!simple_) {
      simple_.emplace();
      simple_->start = first->at;
      if (first->next < first->texts.size())
        simple_->sql = first->texts[first->next];
      if (first->is_large) simple_->opaque = kTooLarge;
    }
    return &*simple_;
  }
  if (first->kind != Expected::Kind::Execute) return nullptr;
  open(first->at);
  const auto found = portals_.find(first->name);
  if (found == portals_.end()) return nullptr;
  Portal& portal = found->second;
  if (!portal.is_started) {
    portal.is_started = true;
    portal.logged.sql = portal.sql;
    portal.logged.params = portal.params;
    portal.logged.start = first->at;
    if (portal.columns) {
      for (const ColumnFormat& one : *portal.columns)
        portal.logged.answer.columns.push_back(one.column);
      portal.logged.has_rows = true;
    }
  }
  return &portal.logged;
}

void PostgresTap::row(const WireSplitter::Message& message) {
  LoggedStatement* statement = current();
  if (statement == nullptr || !statement->has_rows) return;
  const Expected& first = expected_.front();
  const Columns* columns = &simple_columns_;
  if (first.kind == Expected::Kind::Execute)
    columns = &*portals_.find(first.name)->second.columns;
  bool is_known = message.is_whole &&
                  kept_bytes_ + message.body.size() < limits_.transaction;
  std::vector<Cell> cells;
  if (is_known) {
    WireReader reader(message.body);
    const unsigned count = reader.int16();
    for (unsigned i = 0; i < count && i < columns->size(); ++i) {
      const std::uint32_t size = reader.int32();
      if (size == 0xffffffffu) {
        cells.emplace_back();
        continue;
      }
      const std::string_view bytes = reader.bytes(size);
      const ColumnFormat& column = (*columns)[i];
      cells.push_back(column.is_binary ? from_binary(column.oid, bytes)
                                       : Cell(bytes));
      is_known &= cells.back().has_value();
    }
    is_known &= reader.is_good() && cells.size() == columns->size();
  }
  if (is_known) {
    kept_bytes_ += cost_of(cells);
    statement->answer.rows.push_back(std::move(cells));
    return;
  }
  // Half of the rows would be a wrong answer; none is no answer.
  for (const auto& kept : statement->answer.rows) kept_bytes_ -= cost_of(kept);
  statement->has_rows = false;
  statement->answer.rows.clear();
  ++unobserved_;
}

void PostgresTap::suspended() {
  if (front() == nullptr || front()->kind != Expected::Kind::Execute) return;
  current();
  pop();
}

void PostgresTap::complete(std::string_view tag) {
  LoggedStatement* statement = current();
  Expected* first = front();
  if (first == nullptr) return;
  if (first->kind == Expected::Kind::Query) {
    LoggedStatement done = std::move(*statement);
    simple_.reset();
    ++first->next;
    finish_statement(std::move(done), tag);
    return;
  }
  if (first->kind != Expected::Kind::Execute) return;
  if (statement != nullptr) {
    Portal& portal = portals_.find(first->name)->second;
    LoggedStatement done = std::move(portal.logged);
    portal.logged = {};
    finish_statement(std::move(done), tag);
  }
  pop();
}

void PostgresTap::failed(WireReader& reader) {
  Answer answer;
  bool is_fatal = false;
  while (!reader.is_empty() && reader.is_good()) {
    const auto field = static_cast<char>(reader.byte());
    if (field == 0) break;
    const std::string_view text = reader.text();
    if (field == 'C') answer.sqlstate = text;
    if (field == 'M') answer.message = text;
    if (field == 'V') is_fatal = text != "ERROR";
  }
  answer.code = answer.sqlstate.empty() ? "error" : answer.sqlstate;
  Expected* first = front();
  if (first == nullptr || is_fatal) return;  // closed() will say what remains
  open(first->at);
  has_failed_ = true;
  LoggedStatement statement;
  statement.start = first->at;
  bool is_statement = true;
  switch (first->kind) {
    case Expected::Kind::Query:
      if (simple_) statement = std::move(*simple_);
      simple_.reset();
      if (statement.sql.empty() && first->next < first->texts.size())
        statement.sql = first->texts[first->next];
      if (first->is_large) statement.opaque = kTooLarge;
      break;
    case Expected::Kind::Parse:
      statement.sql = first->prepared.sql;
      if (first->prepared.is_large) statement.opaque = kTooLarge;
      break;
    case Expected::Kind::Execute: {
      if (const LoggedStatement* known = current()) statement = *known;
      portals_.erase(first->name);
      break;
    }
    case Expected::Kind::Bind: {
      const auto found = prepared_.find(first->portal.statement);
      if (found != prepared_.end()) statement.sql = found->second.sql;
      if (first->is_large ||
          (found != prepared_.end() && found->second.is_large))
        statement.opaque = kTooLarge;
      break;
    }
    case Expected::Kind::Describe:
    case Expected::Kind::Close:
    case Expected::Kind::Sync:
    case Expected::Kind::FunctionCall: is_statement = false; break;
  }
  const std::vector<std::string> words = first_words(statement.sql, 1);
  const bool is_commit =
      !words.empty() && (words[0] == "COMMIT" || words[0] == "END");
  const ErrorRow* error = find_error(answer.sqlstate);
  if (is_statement && error != nullptr &&
      error->is == ErrorClass::InFailedTransaction) {
  } else if (is_statement && !is_commit) {
    statement.end = clock_.now();
    statement.has_rows = false;
    statement.answer = std::move(answer);
    transaction_.statements.push_back(std::move(statement));
  } else {
    transaction_.error = std::move(answer);
  }
  if (is_commit && is_explicit_) end(Status::Aborted);
  if (first->kind == Expected::Kind::Query) return;  // ReadyForQuery follows
  while (!expected_.empty() && front()->kind != Expected::Kind::Sync) pop();
}

void PostgresTap::ready(char status) {
  using Kind = Expected::Kind;
  while (!expected_.empty()) {
    const Kind kind = front()->kind;
    pop();
    if (kind == Kind::Sync || kind == Kind::Query || kind == Kind::FunctionCall)
      break;
  }
  simple_.reset();
  if (status == 'I' && is_open_)
    end(is_doubtful_  ? Status::Unknown
        : has_failed_ ? Status::Aborted
                      : Status::Committed);
  if (status != 'I') is_explicit_ = true;
}

void PostgresTap::closed(bool by_server) {
  if (!is_open_ || !problem_.empty()) return;
  // The server rolls back what a client that hangs up has not committed.
  const bool is_certain = !by_server && !commit_is_pending();
  if (expected_.empty() && is_explicit_ && is_certain)
    end(Status::Aborted);
  else
    end(Status::Unknown);
}

}  // namespace txscope::db
