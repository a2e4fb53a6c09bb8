#pragma once

#include "model/sql/routine.h"

namespace txscope::sql {

/// Calls `on_statement(const DbStatement&)` for every statement of a block that
/// goes to the database, in the order of the text.  Depth: the nesting of
/// blocks, which the front end limits.
template <class OnStatement>
void for_each_statement(const PlBlock& block, const OnStatement& on_statement) {
  for (const PlStatement& s : block) {
    if (const auto* execute = std::get_if<PlExecute>(&s.what)) {
      on_statement(execute->statement);
    } else if (const auto* rows = std::get_if<PlForRows>(&s.what)) {
      on_statement(rows->query);
      for_each_statement(rows->body, on_statement);
    } else if (const auto* open = std::get_if<PlOpen>(&s.what)) {
      on_statement(open->query);
    } else if (const auto* branch = std::get_if<PlIf>(&s.what)) {
      for (const PlIf::Arm& arm : branch->arms) {
        for_each_statement(arm.before, on_statement);
        for_each_statement(arm.body, on_statement);
      }
      for_each_statement(branch->otherwise, on_statement);
    } else if (const auto* loop = std::get_if<PlLoop>(&s.what)) {
      for_each_statement(loop->before, on_statement);
      for_each_statement(loop->body, on_statement);
    } else if (const auto* range = std::get_if<PlForRange>(&s.what)) {
      for_each_statement(range->body, on_statement);
    } else if (const auto* labelled = std::get_if<PlLabelled>(&s.what)) {
      for_each_statement(labelled->body, on_statement);
    } else if (const auto* guarded = std::get_if<PlTry>(&s.what)) {
      for_each_statement(guarded->body, on_statement);
      for (const PlTry::Handler& handler : guarded->handlers)
        for_each_statement(handler.body, on_statement);
    }
  }
}

/// Calls `on(const PlStatement&)` for every statement of a block, those inside
/// others, too.
template <class OnStatement>
void for_each_pl(const PlBlock& block, const OnStatement& on) {
  for (const PlStatement& s : block) {
    on(s);
    if (const auto* branch = std::get_if<PlIf>(&s.what)) {
      for (const PlIf::Arm& arm : branch->arms) {
        for_each_pl(arm.before, on);
        for_each_pl(arm.body, on);
      }
      for_each_pl(branch->otherwise, on);
    } else if (const auto* loop = std::get_if<PlLoop>(&s.what)) {
      for_each_pl(loop->before, on);
      for_each_pl(loop->body, on);
    } else if (const auto* range = std::get_if<PlForRange>(&s.what)) {
      for_each_pl(range->body, on);
    } else if (const auto* rows = std::get_if<PlForRows>(&s.what)) {
      for_each_pl(rows->body, on);
    } else if (const auto* labelled = std::get_if<PlLabelled>(&s.what)) {
      for_each_pl(labelled->body, on);
    } else if (const auto* guarded = std::get_if<PlTry>(&s.what)) {
      for_each_pl(guarded->body, on);
      for (const PlTry::Handler& handler : guarded->handlers)
        for_each_pl(handler.body, on);
    }
  }
}

}  // namespace txscope::sql
