-- shopper, issue 510.
-- The order is inserted, then the use is counted with a guard
-- whose row count nobody looks at.
-- The second order keeps its discount.
CREATE TABLE discount (id int PRIMARY KEY, total_use int NOT NULL,
  usage_limit int NOT NULL);
CREATE TABLE orders (id serial PRIMARY KEY, discount int NOT NULL);
INSERT INTO discount VALUES (1, 0, 1);

CREATE PROCEDURE checkout(p_discount int) LANGUAGE plpgsql AS $$
DECLARE v_left int;
BEGIN
  SELECT usage_limit - total_use INTO v_left FROM discount WHERE id = p_discount;
  IF v_left > 0 THEN
    INSERT INTO orders (discount) VALUES (p_discount);
    UPDATE discount SET total_use = total_use + 1
      WHERE id = p_discount AND total_use < usage_limit;
  END IF;
END $$;

--@ invariant within_limit: (SELECT count(*) FROM orders) <= 1
