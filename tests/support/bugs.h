#pragma once

#include <string>
#include <vector>

namespace txscope::test {

/// A folder of examples/bugs: code with a documented race, and a fix of it.
struct Bug {
  std::string folder;
  /// Two calls that meet, as people make them.
  std::string first;
  std::string second;
  /// Whether the fix is right at the bug's level: by reading the code, and by
  /// what the server does (tests/unit/live/bugs_test.cpp).
  bool is_repaired = true;
  /// Before the fix a call is two transactions, which nobody can hold open.
  bool is_split = false;
  /// At which it was documented.
  std::string level = "postgresql:read-committed";
};

[[nodiscard]] inline std::vector<Bug> documented_bugs() {
  return {
      {"01-stock-record", "CALL allocate(1, 2)", "CALL allocate(1, 3)"},
      {"02-voucher-once", "CALL use_voucher(1, 7)", "CALL use_voucher(1, 7)"},
      {"03-voucher-limit", "CALL redeem(1)", "CALL redeem(1)"},
      {"04-voucher-amount", "CALL mark_as_used(1)", "CALL mark_as_used(1)"},
      {"05-stock-check", "CALL buy(1, 1)", "CALL buy(1, 1)"},
      {"06-stock-at-cart", "CALL place_order(1, 1)", "CALL place_order(1, 1)"},
      {"07-cart-rule", "CALL apply_rule(1)", "CALL apply_rule(1)"},
      {"08-usage-count", "CALL increase_usage(1)", "CALL increase_usage(1)"},
      {"09-held-stock", "CALL hold(1, 1)", "CALL hold(1, 1)"},
      {"10-store-credit", "CALL capture(1)", "CALL capture(2)"},
      {"11-lock-outside", "CALL upvote(1)", "CALL upvote(1)", true, true},
      {"12-count-on-hand", "CALL unstock(1)", "CALL unstock(1)"},
      {"13-allocation", "CALL allocate(1, 1)", "CALL allocate(1, 1)"},
      {"14-coupon-orders", "CALL place_order('spring')",
       "CALL place_order('spring')"},
      {"15-adjust-inventory", "CALL adjust_inventory(1, -1)",
       "CALL adjust_inventory(1, -2)"},
      {"16-version-check", "CALL claim(1, 0, 'ann')",
       "CALL claim(1, 0, 'bob')"},
      {"17-redemption-code", "CALL redeem(1, 1)", "CALL redeem(1, 2)"},
      {"18-ledger", "CALL debit(1, 8)", "CALL debit(1, 8)"},
      {"19-row-count-ignored", "CALL checkout(1)", "CALL checkout(1)"},
      {"20-booking-lock", "CALL book(1, 10, 12)", "CALL book(1, 11, 13)",
       false},
      {"21-booking-exclusion", "CALL book(1, 10, 12)", "CALL book(1, 11, 13)"},
      {"22-last-owner", "CALL leave(1, 1)", "CALL leave(2, 1)"},
      {"23-last-owner-statement", "CALL leave(1, 1)", "CALL leave(2, 1)",
       false},
      {"24-token-rotation", "CALL refresh(1)", "CALL refresh(1)"},
      {"25-queue-limit", "CALL pick(1)", "CALL pick(1)"},
      {"26-job-lock", "CALL fetch_job()", "CALL fetch_job()"},
      {"27-job-key", "CALL run_job('mail')", "CALL add_job('mail', 2)", true,
       true},
      {"28-job-started-twice", "CALL run_job(1)", "CALL run_job(1)", true,
       true},
      {"29-fetch-next-job", "CALL fetch_next(7)", "CALL fetch_next(8)"},
      {"30-stale-siblings", "CALL serve(1)", "CALL serve(2)", true, false,
       "mariadb:repeatable-read"},
  };
}

}  // namespace txscope::test
