-- shopper, issue 510.
-- The order is inserted, then the use is counted with a guard
-- whose row count nobody looks at.
-- Count first, look at the row count, insert last.
CREATE TABLE discount (id int PRIMARY KEY, total_use int NOT NULL,
  usage_limit int NOT NULL);
CREATE TABLE orders (id serial PRIMARY KEY, discount int NOT NULL);
INSERT INTO discount VALUES (1, 0, 1);

CREATE PROCEDURE checkout(p_discount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE discount SET total_use = total_use + 1
    WHERE id = p_discount AND total_use < usage_limit;
  IF FOUND THEN
    INSERT INTO orders (discount) VALUES (p_discount);
  END IF;
END $$;

--@ invariant within_limit: (SELECT count(*) FROM orders) <= 1
