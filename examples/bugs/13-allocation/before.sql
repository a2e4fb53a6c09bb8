-- vendure, issues 1738 and 3508, pull request 4930.
-- Stock on hand and allocated are read, and the new allocation is written.
-- One allocation is lost, and one piece is sold twice.
CREATE TABLE stock_level (variant int PRIMARY KEY, on_hand int NOT NULL,
  allocated int NOT NULL);
INSERT INTO stock_level VALUES (1, 5, 0);

CREATE PROCEDURE allocate(p_variant int, p_quantity int) LANGUAGE plpgsql AS $$
DECLARE v_free int; v_allocated int;
BEGIN
  SELECT on_hand - allocated, allocated INTO v_free, v_allocated
    FROM stock_level WHERE variant = p_variant;
  IF v_free >= p_quantity THEN
    UPDATE stock_level SET allocated = v_allocated + p_quantity
      WHERE variant = p_variant;
  END IF;
END $$;
