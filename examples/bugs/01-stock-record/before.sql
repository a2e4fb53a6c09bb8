-- django-oscar, issues 2102 and 1811.
-- The whole row is written back with numbers that were read before.
-- Two orders: one allocation is lost.
CREATE TABLE stock_record (id int PRIMARY KEY, in_stock int NOT NULL,
  allocated int NOT NULL);
INSERT INTO stock_record VALUES (1, 9, 0);

CREATE PROCEDURE allocate(p_record int, p_quantity int) LANGUAGE plpgsql AS $$
DECLARE v_stock int; v_allocated int;
BEGIN
  SELECT in_stock, allocated INTO v_stock, v_allocated
    FROM stock_record WHERE id = p_record;
  UPDATE stock_record SET in_stock = v_stock,
    allocated = v_allocated + p_quantity WHERE id = p_record;
END $$;
