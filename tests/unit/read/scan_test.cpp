#include "read/scan.h"

#include <gtest/gtest.h>

#include <string>

namespace txscope {
namespace {

// What the general one says of every short number, whatever follows it.
TEST(Scan, ShortNumbersAreWhatTheyAre) {
  for (std::uint64_t number = 0, step = 1; number < 30'000'000;
       number += step) {
    step = 1 + number / 7;
    for (int after = 0; after < 256; ++after) {
      if (read::is_digit(static_cast<char>(after))) continue;
      std::string text = std::to_string(number);
      const std::size_t digits = text.size();
      text += static_cast<char>(after);
      text += "1\xff:/0 9999999";
      const char* p = text.data();
      std::uint64_t value = 0;
      const bool is_short = read::scan_short_uint(p, value);
      ASSERT_EQ(is_short, digits < read::kShortUintBytes) << text;
      ASSERT_EQ(p - text.data(), is_short ? static_cast<int>(digits) : 0);
      if (is_short) {
        ASSERT_EQ(value, number);
      }
    }
  }
}

TEST(Scan, WhatIsNoShortNumberIsLeftThere) {
  for (const std::string text :
       {",1234567", "-1,23456", ":1234567", "/1234567", " 1234567", "12345678",
        "00000000", "\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8"}) {
    const char* p = text.data();
    std::uint64_t value = 0;
    EXPECT_FALSE(read::scan_short_uint(p, value)) << text;
    EXPECT_EQ(p, text.data());
  }
}

}  // namespace
}  // namespace txscope
