-- opencart, issues 4811 and 4812; the maintainers refused a fix.
-- The quantity is checked in one statement and taken off in another.
-- Both see the last piece.
CREATE TABLE product (id int PRIMARY KEY, quantity int NOT NULL);
INSERT INTO product VALUES (1, 1);

CREATE PROCEDURE buy(p_product int, p_quantity int) LANGUAGE plpgsql AS $$
DECLARE v_quantity int;
BEGIN
  SELECT quantity INTO v_quantity FROM product WHERE id = p_product;
  IF v_quantity >= p_quantity AND p_quantity > 0 THEN
    UPDATE product SET quantity = quantity - p_quantity WHERE id = p_product;
  END IF;
END $$;

--@ invariant not_oversold: (SELECT min(quantity) FROM product) >= 0
