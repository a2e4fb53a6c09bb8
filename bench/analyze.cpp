// How long an application of many transaction types takes in analyze.
//
//   bench_analyze [shops]      default 5
//
// A shop has 8 transaction types over 6 tables of its own (customers, items,
// orders and their lines, payments, a log); types of all shops share the
// table of settings and that of daily totals.  5 shops are 40 types, which is
// 820 pairs.  One line: types, pairs, verdicts of the pairs, findings, seconds
// of the processor.  The aim is five minutes for 40.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "analyze/analyze.h"
#include "read/sql/sql.h"

namespace {

constexpr const char* kShared = R"(
CREATE TABLE settings (id int PRIMARY KEY, closed boolean NOT NULL);
CREATE TABLE totals (day int PRIMARY KEY, amount int NOT NULL);
INSERT INTO settings VALUES (1, false);
INSERT INTO totals VALUES (1, 0), (2, 0);
)";

constexpr const char* kShop = R"(
CREATE TABLE customer_N (id int PRIMARY KEY, balance int NOT NULL,
  CHECK (balance >= 0));
CREATE TABLE item_N (id int PRIMARY KEY, stock int NOT NULL, price int NOT NULL);
CREATE TABLE orders_N (id serial PRIMARY KEY, customer int NOT NULL
  REFERENCES customer_N, state text NOT NULL DEFAULT 'open');
CREATE TABLE line_N (orders int NOT NULL REFERENCES orders_N, item int NOT NULL
  REFERENCES item_N, amount int NOT NULL, PRIMARY KEY (orders, item));
CREATE TABLE payment_N (id serial PRIMARY KEY, customer int NOT NULL,
  amount int NOT NULL);
CREATE TABLE log_N (id serial PRIMARY KEY, what text NOT NULL);
INSERT INTO customer_N VALUES (1, 100), (2, 50);
INSERT INTO item_N VALUES (1, 5, 10), (2, 1, 30);
INSERT INTO orders_N (customer) VALUES (1), (2);
INSERT INTO line_N VALUES (1, 1, 2);

CREATE PROCEDURE open_order_N(p_customer int) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT closed FROM settings WHERE id = 1) THEN RETURN; END IF;
  INSERT INTO orders_N (customer) VALUES (p_customer);
  INSERT INTO log_N (what) VALUES ('open');
END $$;
CREATE PROCEDURE add_line_N(p_order int, p_item int, p_amount int)
LANGUAGE plpgsql AS $$
DECLARE v_stock int;
BEGIN
  SELECT stock INTO v_stock FROM item_N WHERE id = p_item;
  IF v_stock < p_amount THEN RAISE EXCEPTION 'sold out'; END IF;
  UPDATE item_N SET stock = v_stock - p_amount WHERE id = p_item;
  INSERT INTO line_N VALUES (p_order, p_item, p_amount)
    ON CONFLICT (orders, item) DO UPDATE
    SET amount = line_N.amount + EXCLUDED.amount;
END $$;
CREATE PROCEDURE pay_N(p_customer int, p_amount int, p_day int)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE customer_N SET balance = balance - p_amount WHERE id = p_customer
    AND balance >= p_amount;
  IF NOT FOUND THEN RAISE EXCEPTION 'no money'; END IF;
  INSERT INTO payment_N (customer, amount) VALUES (p_customer, p_amount);
  UPDATE totals SET amount = amount + p_amount WHERE day = p_day;
END $$;
CREATE PROCEDURE refund_N(p_customer int, p_amount int, p_day int)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE totals SET amount = amount - p_amount WHERE day = p_day;
  UPDATE customer_N SET balance = balance + p_amount WHERE id = p_customer;
END $$;
CREATE PROCEDURE close_order_N(p_order int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM orders_N WHERE id = p_order AND state = 'open' FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE orders_N SET state = 'closed' WHERE id = p_order;
  INSERT INTO log_N (what) VALUES ('closed');
END $$;
CREATE PROCEDURE restock_N(p_item int, p_amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE item_N SET stock = stock + p_amount WHERE id = p_item;
  INSERT INTO log_N (what) VALUES ('restock');
END $$;
CREATE PROCEDURE transfer_N(p_from int, p_to int, p_amount int)
LANGUAGE plpgsql AS $$
DECLARE v_balance int;
BEGIN
  SELECT balance INTO v_balance FROM customer_N WHERE id = p_from FOR UPDATE;
  IF v_balance < p_amount THEN RAISE EXCEPTION 'no money'; END IF;
  UPDATE customer_N SET balance = balance - p_amount WHERE id = p_from;
  UPDATE customer_N SET balance = balance + p_amount WHERE id = p_to;
END $$;
CREATE FUNCTION report_N() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v_orders int; v_paid int;
BEGIN
  SELECT count(*) INTO v_orders FROM orders_N WHERE state = 'closed';
  SELECT coalesce(sum(amount), 0) INTO v_paid FROM payment_N;
  UPDATE totals SET amount = amount WHERE day = 1;
  RETURN v_orders + v_paid;
END $$;
)";

std::string shop(int number) {
  const std::string n = std::to_string(number);
  std::string text = kShop;
  for (std::size_t i = 0; (i = text.find("_N", i)) != std::string::npos;)
    text.replace(i + 1, 1, n);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace txscope;
  const int shops = argc > 1 ? std::atoi(argv[1]) : 5;
  std::string text = kShared;
  for (int i = 1; i <= shops; ++i) text += shop(i);
  if (argc > 2) {  // to be analysed by the program
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  const auto seconds = [] {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  };
  auto application = sql::read_sql("bench.sql", text, false);
  if (!application) {
    std::fprintf(stderr, "%s: %s\n",
                 to_string(application.error().where).c_str(),
                 application.error().what.c_str());
    return 1;
  }
  analyze::AnalyzeOptions options;
  options.profile = *parse_profile("postgresql:read-committed");
  const double start = seconds();
  const auto found =
      analyze::analyze(*std::move(application), options, Budget::unlimited());
  if (!found) {
    std::fprintf(stderr, "%s\n", found.error().what.c_str());
    return 1;
  }
  std::array<std::size_t, 4> verdicts{};
  for (const analyze::Cell& cell : found->cells)
    ++verdicts[static_cast<std::size_t>(cell.verdict)];
  std::printf(
      "%zu types, %zu pairs: %zu safe, %zu tried, %zu races, %zu undecided; "
      "%zu findings, %.1f s\n",
      found->types.size(), found->cells.size(), verdicts[0], verdicts[1],
      verdicts[2], verdicts[3], found->findings.size(), seconds() - start);
}
