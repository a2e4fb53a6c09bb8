-- nopCommerce, issue 8085.
-- The product is loaded, and its new stock is saved.
-- One of two sales is lost.
CREATE TABLE product (id int PRIMARY KEY, stock_quantity int NOT NULL);
INSERT INTO product VALUES (1, 10);

CREATE PROCEDURE adjust_inventory(p_product int, p_change int) LANGUAGE plpgsql AS $$
DECLARE v_stock int;
BEGIN
  SELECT stock_quantity INTO v_stock FROM product WHERE id = p_product;
  UPDATE product SET stock_quantity = v_stock + p_change WHERE id = p_product;
END $$;
