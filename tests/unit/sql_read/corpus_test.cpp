#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "read/sql/sql.h"
#include "support/paths.h"

namespace txscope {
namespace {

sql::Application read_corpus(const std::string& name) {
  std::ifstream file(test::source_dir() + "/tests/sql/" + name + ".sql");
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  auto application = sql::read_sql(name + ".sql", text.str());
  if (!application) {
    ADD_FAILURE() << to_string(application.error().where) << ": "
                  << application.error().what;
    return {};
  }
  return std::move(*application);
}

TEST(SqlCorpus, EveryApplicationIsRead) {
  for (const char* name :
       {"booking_unique", "delete_vs_update", "doctors_on_call", "fk_unchecked",
        "lost_update", "lost_update_for_update", "read_skew_report",
        "shop_coupon"}) {
    const sql::Application application = read_corpus(name);
    EXPECT_GE(application.sessions.size(), 2u) << name;
    EXPECT_GE(application.properties.size(), 1u) << name;
    EXPECT_GE(application.setup.size(), 1u) << name;
  }
}

}  // namespace
}  // namespace txscope
