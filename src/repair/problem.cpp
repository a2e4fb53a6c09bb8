#include "repair/problem.h"

#include <algorithm>
#include <filesystem>

#include "model/sql/walk.h"
#include "read/sql/read_as.h"

namespace txscope::repair {
namespace {

/// What EXECUTE or the reader has made stands behind the text, or is no
/// statement of it.
bool is_in_text(const Problem& problem, const sql::DbStatement& statement) {
  return statement.at.length > 0 &&
         statement.at.offset + statement.at.length <= problem.text.size();
}

}  // namespace

std::vector<const sql::Routine*> routines_of(const Problem& problem) {
  std::vector<const sql::Routine*> all;
  const auto& routines = problem.application->routines;
  for (std::uint32_t i = 0; i < routines.size(); ++i) {
    const auto named = std::find(problem.routines.begin(),
                                 problem.routines.end(), sql::RoutineId{i});
    if (problem.routines.empty() || named != problem.routines.end())
      all.push_back(&routines[i]);
  }
  return all;
}

std::vector<const sql::DbStatement*> statements_of(const Problem& problem) {
  std::vector<const sql::DbStatement*> all;
  const auto add = [&](const sql::DbStatement& statement) {
    if (!is_in_text(problem, statement)) return;
    // What sessions share has one text.
    const bool is_known =
        std::any_of(all.begin(), all.end(), [&](const auto* known) {
          return known->at.offset == statement.at.offset;
        });
    if (!is_known) all.push_back(&statement);
  };
  for (const Span step : problem.steps)
    for (const sql::Routine& routine : problem.application->routines)
      sql::for_each_statement(routine.body, [&](const sql::DbStatement& s) {
        if (s.at.offset == step.offset && s.at.length == step.length) add(s);
      });
  for (const sql::Routine* routine : routines_of(problem))
    sql::for_each_statement(routine->body, add);
  return all;
}

std::vector<const sql::DbStatement*> changeable_statements_of(
    const Problem& problem) {
  std::vector<const sql::DbStatement*> all = statements_of(problem);
  if (problem.has_only_steps)
    std::erase_if(all, [&](const sql::DbStatement* one) {
      return std::none_of(problem.steps.begin(), problem.steps.end(),
                          [&](Span at) { return at.offset == one->at.offset; });
    });
  return all;
}

const sql::Routine* routine_with(const Problem& problem,
                                 const sql::DbStatement& one) {
  for (const sql::Routine& routine : problem.application->routines) {
    bool has_it = false;
    sql::for_each_statement(routine.body, [&](const sql::DbStatement& s) {
      has_it = has_it || &s == &one;
    });
    if (has_it) return &routine;
  }
  return nullptr;
}

std::string line_of(const Problem& problem, Span at) {
  std::string text = "line " + std::to_string(at.line);
  if (problem.application != nullptr && problem.application->origin != nullptr)
    text += " of " + std::filesystem::path(
                         problem.application->origin->file_at(at.offset))
                         .filename()
                         .string();
  return text;
}

Edit at_the_end(const Problem& problem, const sql::Table& table,
                const std::string& statement) {
  std::size_t end = problem.text.size();
  if (const SourceMap* origin = problem.application->origin.get()) {
    const std::uint32_t file = origin->piece_at(table.at.offset).file;
    const auto& pieces = origin->pieces;
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
      if (pieces[i].file == file && pieces[i + 1].file != file)
        end = pieces[i + 1].from;
  }
  const bool is_in_line = end > 0 && problem.text[end - 1] != '\n';
  return {end, 0, (is_in_line ? "\n" : "") + statement + ";\n"};
}

Problem problem_of(const sql::Application& application,
                   const Profile* profile) {
  Problem problem;
  problem.text = application.source;
  problem.is_mysql = sql::looks_like_mysql(application.source);
  problem.application = &application;
  problem.profile = profile;
  return problem;
}

}  // namespace txscope::repair
