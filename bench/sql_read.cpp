// How fast applications in SQL are read: parsed, names and types resolved.
//
//   bench_sql_read [copies]      default 200
//
// The text is a small shop (tables, rows, procedures with queries and control
// flow) many times over, with names of its own in each copy.  One line: SQL
// statements (those inside procedures count), processor time, statements per
// second.  The aim is 10,000 per second.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "read/sql/sql.h"

namespace {

constexpr int kStatements = 18;  // of one copy

std::string copy(int number) {
  const std::string n = std::to_string(number);
  std::string text = R"(
CREATE TABLE items_N (id int PRIMARY KEY, name varchar(20) NOT NULL,
  stock int NOT NULL CHECK (stock >= 0), price numeric(10,2) DEFAULT 0);
CREATE TABLE orders_N (id serial PRIMARY KEY, item int NOT NULL
  REFERENCES items_N, amount int NOT NULL, bought date, UNIQUE (item, bought));
INSERT INTO items_N VALUES (1, 'tea', 10, 2.50), (2, 'pot', 3, 20);
INSERT INTO orders_N (item, amount) VALUES (1, 2);
CREATE PROCEDURE buy_N(p_item int, p_amount int) LANGUAGE plpgsql AS $$
DECLARE
  v_stock int; v_price numeric; v_rows int; r record;
BEGIN
  SELECT stock, price INTO v_stock, v_price FROM items_N WHERE id = p_item
    FOR UPDATE;
  IF NOT FOUND OR v_stock < p_amount THEN
    RAISE EXCEPTION 'only % of % left', v_stock, p_item;
  END IF;
  UPDATE items_N SET stock = stock - p_amount WHERE id = p_item AND stock > 0;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  INSERT INTO orders_N (item, amount) VALUES (p_item, p_amount)
    ON CONFLICT (item, bought) DO UPDATE SET amount = EXCLUDED.amount;
  FOR r IN SELECT o.id, i.name FROM orders_N o JOIN items_N i ON i.id = o.item
           WHERE o.amount > 1 ORDER BY o.id LOOP
    v_rows := v_rows + r.id;
  END LOOP;
  IF (SELECT sum(amount) FROM orders_N) > 100 THEN
    DELETE FROM orders_N WHERE item = p_item AND amount IN (1, 2, 3);
  END IF;
END $$;
--@ session s_N: CALL buy_N(1, 2); CALL buy_N(2, 1);
--@ invariant i_N: NOT EXISTS (SELECT 1 FROM items_N WHERE stock < 0)
)";
  for (std::size_t i = 0; (i = text.find("_N", i)) != std::string::npos;) {
    text.replace(i + 1, 1, n);
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int copies = argc > 1 ? std::atoi(argv[1]) : 200;
  std::string text;
  for (int i = 0; i < copies; ++i) text += copy(i);
  const double start = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  const auto read = txscope::read_sql("bench.sql", text);
  const double seconds =
      static_cast<double>(std::clock()) / CLOCKS_PER_SEC - start;
  if (!read) {
    std::fprintf(stderr, "%s: %s\n", to_string(read.error().where).c_str(),
                 read.error().what.c_str());
    return 1;
  }
  const double statements = static_cast<double>(copies) * kStatements;
  std::printf("%.0f statements, %.1f MB, %.3f s, %.0f statements/s\n",
              statements, static_cast<double>(text.size()) / 1e6, seconds,
              statements / seconds);
}
