-- django-oscar, issues 2102 and 1811.
-- The whole row is written back with numbers that were read before.
-- The published fix: add in the database.
CREATE TABLE stock_record (id int PRIMARY KEY, in_stock int NOT NULL,
  allocated int NOT NULL);
INSERT INTO stock_record VALUES (1, 9, 0);

CREATE PROCEDURE allocate(p_record int, p_quantity int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stock_record SET allocated = coalesce(allocated, 0) + p_quantity
    WHERE id = p_record;
END $$;
