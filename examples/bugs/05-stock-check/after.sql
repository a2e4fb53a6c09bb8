-- opencart, issues 4811 and 4812; the maintainers refused a fix.
-- The quantity is checked in one statement and taken off in another.
-- What would have helped: the check belongs to the update.
CREATE TABLE product (id int PRIMARY KEY, quantity int NOT NULL);
INSERT INTO product VALUES (1, 1);

CREATE PROCEDURE buy(p_product int, p_quantity int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product SET quantity = quantity - p_quantity
    WHERE id = p_product AND quantity >= p_quantity AND p_quantity > 0;
END $$;

--@ invariant not_oversold: (SELECT min(quantity) FROM product) >= 0
