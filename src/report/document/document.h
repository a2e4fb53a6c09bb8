#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "txscope/evidence.h"

/// What a report says, before it has a form.  HTML, SARIF, JUnit, annotations,
/// Markdown and CSV are written from this one value, so that none of them knows
/// which engine has answered.  All texts are plain and as the user wrote them;
/// each form escapes by itself.
namespace txscope::report::document {

using evidence::Arrow;
using evidence::ChangedLine;
using evidence::Edge;
using evidence::Fact;
using evidence::Mismatch;
using evidence::Repair;
using evidence::Rule;
using evidence::SerialOrder;
using evidence::Step;
using evidence::Table;
using evidence::TableRow;

enum class Tone : std::uint8_t { Plain, Good, Bad, Open };

/// A piece of the user's text around what happens, for a reader who does not
/// have the file at hand.
struct Source {
  std::string file;
  std::uint64_t first_line = 1;
  std::vector<std::string> lines;
};

/// Something that can be copied and run.
struct Script {
  std::string title;  ///< "in two terminals"
  std::string text;
};

/// How a finding stands to what was known of it before.
struct Triage {
  /// "new", "unchanged"; empty: there is nothing to compare with.
  std::string baseline;
  /// "bug", "accepted", "false"; empty: nobody has looked at it.
  std::string mark;
  std::string note;
  /// It was looked at, and does not count any more.
  [[nodiscard]] bool is_suppressed() const {
    return mark == "accepted" || mark == "false";
  }
};

/// Transactions of a history, by session and time, small.
struct Overview {
  struct Txn {
    std::string name;
    std::uint64_t from = 0;  ///< of a clock, or of positions
    std::uint64_t to = 0;
    std::string text;     ///< its operations, shortened
    std::string where;    ///< "line 7"
    std::string finding;  ///< that it is part of
    bool is_aborted = false;
  };
  struct Lane {
    std::string name;
    std::vector<Txn> txns;
  };
  std::string title;
  std::vector<Lane> lanes;
  std::uint64_t end = 0;
  bool has_times = false;
  std::size_t left_out = 0;  ///< transactions that are not shown
  bool is_part = false;      ///< what is around one finding
};

/// One thing that goes wrong, with everything that shows it.
struct Finding {
  /// The same for the same cause, also when lines move: "lost-update-3f2a".
  std::string id;
  std::string kind;  ///< what kind_info() knows: "lost-update"
  /// Which questions it answers, as the report has them; an empty level or
  /// input: any.
  struct Answered {
    std::string level;
    std::string property;
  };
  std::vector<Answered> answers;
  std::string input;
  Tone tone = Tone::Bad;  ///< Bad, or Open: it could not be decided
  std::string title;      ///< in one sentence, plain words first
  std::string level;
  Place place;  ///< where an editor shows it
  std::vector<Fact> facts;
  std::optional<Rule> rule;
  std::vector<std::string> lanes;
  std::vector<Step> steps;
  std::vector<Arrow> arrows;
  std::vector<Source> sources;
  /// Of a big history: what ran at about the same time.
  std::optional<Overview> around;
  std::vector<Table> end;  ///< where the run leads to
  std::vector<SerialOrder> serial;
  std::string serial_says;  ///< "No serial order produces this."
  std::vector<Edge> cycle;
  std::vector<Mismatch> mismatches;
  std::vector<Repair> repairs;
  std::vector<Script> scripts;
  /// What `txscope explain` says: the word to ask for.
  std::string word;
  /// It is told, but does not fail a run.
  bool is_aside = false;
  Triage triage;
  /// Steps are states of a protocol: a reader wants to filter variables.
  bool is_protocol = false;
  /// Of those: where a behaviour without an end goes on from its last step.
  std::optional<std::size_t> loop;
};

/// What a test or a question was, and its answer: a row of JUnit.
struct Question {
  std::string group;  ///< the level, or the file
  std::string name;
  std::string input;
  Tone tone = Tone::Good;
  std::string why;                    ///< of Bad and Open
  std::vector<std::string> findings;  ///< ids of what shows it; may be empty
  bool is_aside = false;
  Place place;
};

struct Cell {
  std::string text;
  Tone tone = Tone::Plain;
  std::string finding = {};  ///< its id; empty: no link
  std::string note = {};     ///< may be empty
};

/// A matrix, or a table of levels.
struct Grid {
  struct Row {
    std::string name;
    std::vector<Cell> cells;
  };
  std::string title;
  std::string corner;                ///< over the names of rows
  std::vector<std::string> columns;  ///< heads
  std::vector<Row> rows;
  bool is_matrix = false;  ///< rows and columns are the same things
};

struct Document {
  std::string verb;
  std::vector<std::string> inputs;
  std::string version;
  std::string command;  ///< as it was typed; may be empty
  Tone tone = Tone::Good;
  std::string verdict;  ///< one word: "VIOLATED"
  std::string headline;
  std::vector<std::string> lead;  ///< sentences below it
  std::vector<Grid> grids;
  std::vector<Overview> overviews;
  std::vector<Finding> findings;
  std::vector<Question> questions;
  std::vector<Fact> checked;             ///< what was looked at
  std::vector<std::string> not_checked;  ///< what was not
  std::vector<std::string> notes;
  std::vector<std::string> absent;  ///< known findings that are gone
  int status = 0;                   ///< what the program exits with
};

/// What kinds of findings there are; a rule of SARIF each.
struct KindInfo {
  std::string id;       ///< "lost-update"
  std::string title;    ///< "Lost update"
  std::string summary;  ///< one sentence
  std::string word;     ///< for `txscope explain`; may be empty
};
[[nodiscard]] KindInfo kind_info(std::string_view id);
/// By what theory or people call an anomaly; "anomaly" where that is unknown.
[[nodiscard]] std::string kind_of_anomaly(std::string_view words,
                                          std::string_view id);

/// A few digits that are the same for the same texts.
[[nodiscard]] std::string fingerprint(const std::vector<std::string>& texts);

/// With a capital letter at its beginning.
[[nodiscard]] std::string capitalised(std::string text);

/// A tone in a word that others know: pass, fail, open.
[[nodiscard]] std::string_view name(Tone tone);

}  // namespace txscope::report::document
