-- Shopping-Cart: a line of a cart is one row.
CREATE TABLE lines (
  cart     integer NOT NULL,
  item     integer NOT NULL,
  quantity integer NOT NULL,
  PRIMARY KEY (cart, item)
);
INSERT INTO lines VALUES (1, 1, 2);

CREATE PROCEDURE add_item(p_cart integer, p_item integer)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lines VALUES (p_cart, p_item, 1);
END $$;

CREATE PROCEDURE set_quantity(p_cart integer, p_item integer, p_n integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lines SET quantity = p_n WHERE cart = p_cart AND item = p_item;
END $$;

CREATE PROCEDURE remove_item(p_cart integer, p_item integer)
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM lines WHERE cart = p_cart AND item = p_item;
END $$;

CREATE PROCEDURE show_cart(p_cart integer) LANGUAGE plpgsql AS $$
DECLARE v_sum integer;
BEGIN
  SELECT sum(quantity) INTO v_sum FROM lines WHERE cart = p_cart;
END $$;

--@ session ann: CALL set_quantity(1, 1, 5); CALL show_cart(1);
--@ session ben: CALL add_item(1, 2); CALL remove_item(1, 1);
