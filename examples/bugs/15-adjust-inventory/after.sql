-- nopCommerce, issue 8085.
-- The product is loaded, and its new stock is saved.
-- Added in the database.
CREATE TABLE product (id int PRIMARY KEY, stock_quantity int NOT NULL);
INSERT INTO product VALUES (1, 10);

CREATE PROCEDURE adjust_inventory(p_product int, p_change int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product SET stock_quantity = stock_quantity + p_change
    WHERE id = p_product;
END $$;
