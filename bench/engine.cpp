// Explores transfers between accounts by more and more sessions, and prints how
// the search over an engine's states grows and how fast it is.
//
//     bench_engine [seconds per search, default 10]
//
// Columns: sessions, profile, distinct outcomes, states with and without the
// reduction, states per second of processor time, time.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"

namespace {

using namespace txscope;

double limit = 10;

std::string application_text(int sessions) {
  std::string text =
      "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);\n"
      "CREATE TABLE ledger (id int PRIMARY KEY, amount int NOT NULL);\n"
      "INSERT INTO accounts VALUES (1, 100), (2, 100), (3, 100), (4, 100);\n"
      "CREATE PROCEDURE transfer(p_id int, p_from int, p_to int, p_amount int) "
      "LANGUAGE plpgsql AS $$\n"
      "DECLARE v int;\n"
      "BEGIN\n"
      "  SELECT balance INTO v FROM accounts WHERE id = p_from;\n"
      "  IF v >= p_amount THEN\n"
      "    UPDATE accounts SET balance = balance - p_amount WHERE id = "
      "p_from;\n"
      "    UPDATE accounts SET balance = balance + p_amount WHERE id = p_to;\n"
      "    INSERT INTO ledger VALUES (p_id, p_amount);\n"
      "  END IF;\n"
      "END; $$;\n";
  for (int s = 0; s < sessions; ++s) {
    text += "--@ session s" + std::to_string(s) + ": CALL transfer(" +
            std::to_string(s) + ", " + std::to_string(s % 4 + 1) + ", " +
            std::to_string((s + 1) % 4 + 1) + ", 60);\n";
  }
  return text +
         "--@ invariant kept: (SELECT sum(balance) FROM accounts) = 400\n";
}

struct Measured {
  Answer result;
  double seconds = 0;
};

Measured explore(const sql::Application& application, const Profile& profile,
                 bool reduces) {
  engine::ProfileOptions options;
  options.all = true;
  options.explains = false;
  options.reduces = reduces;
  const Budget budget(
      {std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000)),
       std::nullopt});
  const std::clock_t start = std::clock();
  auto result = engine::explore_profile(application, profile, options, budget);
  const double seconds = std::max(
      1e-6, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  return {result ? std::move(*result) : Answer(), seconds};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) limit = std::atof(argv[1]);
  for (int sessions = 2; sessions <= 5; ++sessions) {
    auto application = sql::read_sql("bench.sql", application_text(sessions));
    if (!application) {
      std::fprintf(stderr, "%s\n", application.error().what.c_str());
      return 2;
    }
    for (const Profile& profile : profiles()) {
      const Measured all = explore(*application, profile, false);
      const Measured reduced = explore(*application, profile, true);
      std::printf(
          "%d %-33s %8llu outcomes %9llu states (%9llu) %8.0f/s "
          "%7.3f s%s\n",
          sessions, std::string(profile.name).c_str(),
          static_cast<unsigned long long>(reduced.result.counts.histories),
          static_cast<unsigned long long>(reduced.result.counts.explored),
          static_cast<unsigned long long>(all.result.counts.explored),
          static_cast<double>(reduced.result.counts.explored) / reduced.seconds,
          reduced.seconds, reduced.result.is_complete ? "" : " (not all)");
    }
  }
  return 0;
}
