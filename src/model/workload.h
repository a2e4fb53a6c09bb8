#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "model/source_map.h"
#include "model/span.h"

namespace txscope {

enum class PropertyKind : std::uint8_t {
  Invariant,
  Assert,
  Exists,  ///< some execution has to make it true
};
[[nodiscard]] std::string_view name(PropertyKind kind);

/// What must be true in the end: one row of an answer.
struct Property {
  PropertyKind kind = PropertyKind::Invariant;
  std::string name;
  Span at;  ///< of a `.txn` program the first condition of that name
};

/// A transaction as it runs: a call of a session.
struct CallRef {
  std::uint32_t session = 0;
  std::uint32_t call = 0;
  friend auto operator<=>(const CallRef&, const CallRef&) = default;
};

/// Who runs what, and what must be true: all that an answer has to name.
/// `.txn` programs and SQL applications both have one (workload_of); how their
/// transactions run is theirs.
struct Workload {
  enum class Language : std::uint8_t { Txn, Sql };
  struct Call {
    std::string label;  ///< distinct in its session
    /// How it begins, in the user's words: "begin t1: t(1)", "CALL buy(1)".
    std::string text;
    Span at;
  };
  /// Calls run in order; sessions run concurrently.
  struct Session {
    std::string name;
    std::vector<Call> calls;
    Span at;
  };

  /// What a row of a table consists of; of SQL only.
  struct Table {
    std::string name;
    std::vector<std::string> columns;
  };

  Language language = Language::Txn;
  std::string file;
  std::string source;
  std::shared_ptr<const SourceMap> origin;  ///< null: `source` is the file's
  std::vector<Session> sessions;
  std::vector<Property> properties;  ///< by PropertyId
  std::vector<Table> tables;

  [[nodiscard]] const Call& at(CallRef call) const {
    return sessions[call.session].calls[call.call];
  }
  /// "session.label".
  [[nodiscard]] std::string name(CallRef call) const {
    return sessions[call.session].name + "." + at(call).label;
  }
  [[nodiscard]] std::size_t call_count() const;
  /// All of them, session by session.
  [[nodiscard]] std::vector<CallRef> calls() const;

  [[nodiscard]] std::string_view text(Span span) const {
    return std::string_view(source).substr(span.offset, span.length);
  }
  /// The whole line that a span starts on.
  [[nodiscard]] std::string_view line(Span span) const {
    return line_at(source, span);
  }
  [[nodiscard]] Place place(Span span) const {
    return {origin != nullptr ? origin->file_at(span.offset) : file, span.line,
            span.column, std::nullopt};
  }
};

struct Program;
[[nodiscard]] Workload workload_of(const Program& program);

namespace sql {
struct Application;
struct Call;
[[nodiscard]] Workload workload_of(const Application& application);
}  // namespace sql

/// A statement on one line: runs of white space become one space.
[[nodiscard]] std::string one_line(std::string_view text);

/// A call as one line: CALL transfer(1, 20)
[[nodiscard]] std::string call_text(const sql::Application& application,
                                    const sql::Call& call);

}  // namespace txscope
