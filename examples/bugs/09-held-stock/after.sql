-- woocommerce, issue 24009 and its fix, pull request 25172.
-- Stock is held by an INSERT that counts what others hold.
-- Written for MySQL, whose next-key locks make it wait.
-- The product is locked first.
CREATE TABLE product (id int PRIMARY KEY, stock int NOT NULL);
CREATE TABLE held (id serial PRIMARY KEY, product int NOT NULL,
  quantity int NOT NULL);
INSERT INTO product VALUES (1, 1);

CREATE PROCEDURE hold(p_product int, p_quantity int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM product WHERE id = p_product FOR UPDATE;
  INSERT INTO held (product, quantity)
    SELECT p_product, p_quantity
    WHERE (SELECT stock FROM product WHERE id = p_product) -
      (SELECT coalesce(sum(quantity), 0) FROM held WHERE product = p_product)
        >= p_quantity AND p_quantity > 0;
END $$;

--@ invariant not_oversold: (SELECT coalesce(sum(quantity), 0) FROM held) <= 1
