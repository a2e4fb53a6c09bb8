#include "cli/listening.h"

#include <nlohmann/json.hpp>

#include "cli/guard.h"

namespace txscope::cli {

Listening::Listening(Shows shows) {
  if (shows == Shows::Clock)
    ticker_.emplace("reading");
  else
    progress_.emplace();
}

verb::Listener Listening::listener() {
  verb::Listener told;
  if (ticker_)
    told.on_progress = [this](const std::string& what) { ticker_->say(what); };
  else if (progress_->is_visible())
    told.on_progress = [this](const std::string& line) {
      progress_->show(line);
    };
  told.on_questions = [](const std::vector<verb::Promise>& all) {
    promise_results(all);
  };
  told.on_verdict = [](const verb::Promise& one) { promise_verdict(one); };
  told.on_forget = [] { forget_verdicts(); };
  told.on_more_errors = [this](const std::vector<Error>& others) {
    more_errors_ = others;
  };
  return told;
}

void Listening::end() {
  progress_.reset();
  ticker_.reset();
}

}  // namespace txscope::cli
