-- vendure, pull request 4660.
-- Orders that used a coupon are counted before this one is placed.
-- A lock that is held until the order is settled.
CREATE TABLE coupon (code text PRIMARY KEY, usage_limit int NOT NULL);
CREATE TABLE orders (id serial PRIMARY KEY, coupon text NOT NULL);
INSERT INTO coupon VALUES ('spring', 1);

CREATE PROCEDURE place_order(p_coupon text) LANGUAGE plpgsql AS $$
DECLARE v_count int; v_limit int;
BEGIN
  SELECT usage_limit INTO v_limit FROM coupon WHERE code = p_coupon FOR UPDATE;
  SELECT count(*) INTO v_count FROM orders WHERE coupon = p_coupon;
  IF v_count < v_limit THEN
    INSERT INTO orders (coupon) VALUES (p_coupon);
  END IF;
END $$;

--@ invariant within_limit: (SELECT count(*) FROM orders) <= 1
