#include "engine/sqlite.h"

namespace txscope::engine {

Answer run_on_sqlite(const Surroundings&, State&, SessionNo,
                     const sql::Request&) {
  Answer answer;
  answer.kind = Answer::Kind::Undecided;
  answer.message = "sqlite is not there yet";
  return answer;
}

bool may_commit_on_sqlite(const State&, SessionNo) { return true; }

}  // namespace txscope::engine
