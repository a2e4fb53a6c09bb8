#include <map>

#include "report/dot.h"
#include "report/sql_report.h"
#include "report/wrap.h"

namespace txscope {
namespace {

using PictureKind = SqlPicture::Step::Kind;

std::string label_of(const SqlPicture::Step& step) {
  std::string text = shortened(step.statement, 60);
  if (step.kind == PictureKind::Wait) text += "\nwaits";
  if (step.kind == PictureKind::Error) text += "\nerror " + step.code;
  if (step.kind == PictureKind::Statement && !step.seen.empty()) {
    text += "\n-> " + step.seen;
  }
  if (step.kind == PictureKind::Commit || step.kind == PictureKind::Rollback) {
    return text;
  }
  return "line " + std::to_string(step.at.line) + "\n" + text;
}

/// A column of statements per session; dashed edges are the order of time.
std::string graph(const SqlReport& report, const SqlPicture& picture,
                  std::size_t number) {
  const sql::Application& application = *report.application;
  std::string out = "digraph violation_" + std::to_string(number) + " {\n";
  out += "  label=" +
         dot_quoted(application.properties[picture.property].name + " at " +
                    picture.level) +
         ";\n  node [shape=box];\n";
  std::map<std::uint32_t, std::size_t> last;  // step, by session
  for (std::size_t i = 0; i < picture.steps.size(); ++i) {
    const SqlPicture::Step& step = picture.steps[i];
    const std::string node = "s" + std::to_string(i + 1);
    out += "  " + node +
           " [group=" + dot_quoted(application.sessions[step.session].name) +
           ", label=" +
           dot_quoted(application.sessions[step.session].name + ": " +
                      label_of(step)) +
           "];\n";
    const auto before = last.find(step.session);
    if (before != last.end()) {
      out += "  s" + std::to_string(before->second + 1) + " -> " + node + ";\n";
    }
    if (i > 0 && picture.steps[i - 1].session != step.session) {
      out += "  s" + std::to_string(i) + " -> " + node + " [style=dashed];\n";
    }
    last[step.session] = i;
  }
  return out + "}\n";
}

}  // namespace

std::string sql_dot(const SqlReport& report) {
  std::string out;
  std::size_t number = 0;
  for (const SqlLevel& level : report.levels) {
    for (const SqlPicture& picture : pictures(report, level)) {
      out += graph(report, picture, ++number);
    }
  }
  return out;
}

}  // namespace txscope
