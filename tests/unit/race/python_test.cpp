// The Python module: tests that race callables pass and fail as they should.

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/paths.h"
#include "support/run_command.h"

namespace txscope {
namespace {

TEST(RaceInPython, TheTestsOfAShopSayWhatTheyShould) {
  const std::string source = test::source_dir();
  const std::string run =
      "cd '" + source + "/tests/race_python' && TXSCOPE='" + test::binary() +
      "' PYTHONDONTWRITEBYTECODE=1 " + "PYTHONPATH='" + source +
      "/clients/python:" + source + "/build/clients/python' python3 ";
  if (std::system((run + "-c 'import psycopg, pytest' 2>/dev/null").c_str()) !=
      0)
    GTEST_SKIP() << "there is no psycopg or no pytest";
  const std::string pytest =
      run +
      "-m pytest -q -p no:cacheprovider -p txscope.pytest_plugin "
      "test_shop.py";
  EXPECT_EQ(std::system(pytest.c_str()), 0);
}

}  // namespace
}  // namespace txscope
