-- PrestaShop, issues 9839 and 29493.
-- All columns of a cart rule are written back, its quantity among them.
-- The row is locked before it is read.
CREATE TABLE cart_rule (id int PRIMARY KEY, name text NOT NULL,
  quantity int NOT NULL);
INSERT INTO cart_rule VALUES (1, 'spring', 78);

CREATE PROCEDURE apply_rule(p_rule int) LANGUAGE plpgsql AS $$
DECLARE v_name text; v_quantity int;
BEGIN
  SELECT name, quantity INTO v_name, v_quantity FROM cart_rule WHERE id = p_rule
    FOR UPDATE;
  UPDATE cart_rule SET name = v_name, quantity = v_quantity - 1
    WHERE id = p_rule;
END $$;
