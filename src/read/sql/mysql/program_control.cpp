// IF, CASE, loops.

#include <algorithm>
#include <utility>

#include "read/sql/analyze/mariadb.h"
#include "read/sql/mysql/program.h"
#include "read/sql/mysql/state.h"
#include "read/sql/plpgsql/routine_parts.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

MysqlProgram::Label MysqlProgram::new_label(const std::string& called,
                                            bool is_loop) {
  return {called, builder_.add_label(), is_loop};
}

/// Two ways lead here.
void MysqlProgram::join(MysqlTransaction other) {
  if (transaction_ != other) transaction_ = MysqlTransaction::Unsure;
}

/// Behind a block or a loop, where LEAVE goes on, too.
void MysqlProgram::close_label() {
  if (!labels_.back().left.empty()) texts_.forget_all();
  for (const MysqlTransaction each : labels_.back().left) join(each);
  labels_.pop_back();
}

Expr MysqlProgram::condition_until(
    std::initializer_list<std::string_view> words, PlBlock& before,
    std::string_view what) {
  const std::size_t end = find(words);
  if (end >= tokens_.size()) {
    at_ = end;
    expect(*words.begin());
  }
  declare_users(at_, end);
  const Span at = here();
  Expr e = builder_.condition(tokens_, text(at_, end), before, what);
  protect(before, at);
  at_ = end;
  return e;
}

/// The statements of one way end in one that goes elsewhere.
bool MysqlProgram::goes_away(const PlBlock& body) {
  if (body.empty()) return false;
  const auto& last = body.back().what;
  return std::holds_alternative<PlExit>(last) ||
         std::holds_alternative<PlReturn>(last) ||
         std::holds_alternative<PlRaise>(last);
}

void MysqlProgram::if_statement(PlBlock& out) {
  const Span start = here();
  ++at_;
  PlIf made;
  const MysqlTransaction entry = transaction_;
  KnownBranches branches(texts_);
  std::vector<MysqlTransaction> ways;
  const auto way = [&](const PlBlock& body) {
    branches.next();
    if (!goes_away(body)) ways.push_back(transaction_);
  };
  do {
    PlIf::Arm arm;
    arm.condition = condition_until({"then"}, arm.before, "IF");
    expect("then");
    transaction_ = entry;
    statements(arm.body, {"end", "else", "elseif"});
    way(arm.body);
    made.arms.push_back(std::move(arm));
  } while (accept("elseif"));
  transaction_ = entry;
  if (accept("else")) statements(made.otherwise, {"end"});
  way(made.otherwise);
  expect("end");
  expect("if");
  transaction_ = ways.empty() ? entry : ways[0];
  for (const MysqlTransaction each : ways) join(each);
  emit(out, start, std::move(made));
}

void MysqlProgram::case_statement(PlBlock& out) {
  const Span start = here();
  ++at_;
  std::optional<Span> subject;
  if (!is("when")) {
    const std::size_t end = find({"when"});
    subject = text(at_, end);
    declare_users(at_, end);
    at_ = end;
  }
  PlIf made;
  made.must_match = true;
  const MysqlTransaction entry = transaction_;
  KnownBranches branches(texts_);
  std::vector<MysqlTransaction> ways;
  const auto way = [&](const PlBlock& body) {
    branches.next();
    if (!goes_away(body)) ways.push_back(transaction_);
  };
  std::optional<std::uint32_t> slot;
  Type type;
  if (subject) {
    Expr value = decided(source_, builder_.expression(tokens_, *subject, out));
    type = value.type;
    slot = builder_.add_slot("", type, start);
    builder_.assign(*slot, std::move(value), start, out);
  }
  while (accept("when")) {
    PlIf::Arm arm;
    if (!subject) {
      arm.condition = condition_until({"then"}, arm.before, "CASE WHEN");
    } else {
      const std::size_t end = find({"then"});
      Expr value = expression(at_, end, arm.before);
      at_ = end;
      const auto common = combined_type(type, value.type);
      Expr equal;
      equal.op = Op::Equal;
      equal.type = kBoolean;
      equal.at = start;
      if (common) {
        equal.args.push_back(
            convert(source_, slot_value(*slot, type, start), bare(*common)));
        equal.args.push_back(convert(source_, std::move(value), bare(*common)));
      } else {
        equal.args.push_back(mariadb_number(slot_value(*slot, type, start)));
        equal.args.push_back(mariadb_number(std::move(value)));
      }
      arm.condition = std::move(equal);
    }
    expect("then");
    transaction_ = entry;
    statements(arm.body, {"end", "else", "when"});
    way(arm.body);
    made.arms.push_back(std::move(arm));
  }
  transaction_ = entry;
  if (accept("else")) {
    made.must_match = false;
    statements(made.otherwise, {"end"});
    way(made.otherwise);
  }
  expect("end");
  expect("case");
  transaction_ = ways.empty() ? entry : ways[0];
  for (const MysqlTransaction each : ways) join(each);
  emit(out, start, std::move(made));
}

/// LOOP, WHILE, REPEAT.
void MysqlProgram::loop_statement(const std::string& label, PlBlock& out) {
  const Span start = here();
  const std::string word = peek().word;
  ++at_;
  const Label mine = new_label(label, true);
  labels_.push_back(mine);
  const MysqlTransaction entry = transaction_;
  PlLoop loop;
  loop.label = mine.id;
  texts_.forget_all();  // a round begins with what the one before it left
  if (word == "while") {
    loop.condition = condition_until({"do"}, loop.before, "WHILE");
    expect("do");
  }
  statements(loop.body, {word == "repeat" ? "until" : "end"});
  if (word == "repeat") {
    expect("until");
    PlIf done;
    PlIf::Arm& arm = done.arms.emplace_back();
    arm.condition = condition_until({"end"}, arm.before, "UNTIL");
    emit(arm.body, start, PlExit{mine.id, false});
    emit(loop.body, start, std::move(done));
  }
  expect("end");
  expect(word);
  texts_.forget_all();
  end_label(label);
  close_label();
  if (transaction_ != entry && word != "repeat") join(entry);
  emit(out, start, std::move(loop));
}

void MysqlProgram::leave_statement(PlBlock& out, bool is_iterate) {
  const Span start = here();
  ++at_;
  const Span at = here();
  const std::string called = name("a label");
  const auto found =
      std::find_if(labels_.rbegin(), labels_.rend(), [&](const Label& label) {
        return label.name == called && (label.is_loop || !is_iterate);
      });
  if (found == labels_.rend())
    source_.fail(at, "there is no label '" + called + "' around this");
  if (!is_iterate) found->left.push_back(transaction_);
  emit(out, start, PlExit{found->id, is_iterate});
}

}  // namespace txscope::sql
