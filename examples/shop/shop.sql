-- A web shop: stock is counted, a coupon halves the price of one order.
CREATE TABLE products (
  id    integer PRIMARY KEY,
  name  varchar(30) NOT NULL,
  price numeric(8,2) NOT NULL CHECK (price > 0),
  stock integer NOT NULL
);
CREATE TABLE coupons (
  code      varchar(10) PRIMARY KEY,
  uses_left integer NOT NULL
);
CREATE TABLE orders (
  id       serial PRIMARY KEY,
  customer varchar(20) NOT NULL,
  product  integer NOT NULL REFERENCES products (id),
  quantity integer NOT NULL,
  paid     numeric(8,2) NOT NULL,
  coupon   varchar(10) REFERENCES coupons (code)
);
INSERT INTO products VALUES (1, 'lamp', 40.00, 3), (2, 'chair', 75.50, 8);
INSERT INTO coupons VALUES ('WELCOME', 1);

CREATE PROCEDURE checkout(p_customer varchar, p_product integer,
                          p_quantity integer, p_code varchar)
LANGUAGE plpgsql AS $$
DECLARE
  v_price products.price%TYPE;
  v_stock integer;
  v_left  integer;
  v_due   numeric(8,2);
BEGIN
  SELECT price, stock INTO v_price, v_stock FROM products
    WHERE id = p_product;
  IF NOT FOUND OR v_stock < p_quantity THEN
    RAISE EXCEPTION 'product % is sold out', p_product;
  END IF;
  v_due := v_price * p_quantity;

  IF p_code IS NOT NULL THEN
    SELECT uses_left INTO v_left FROM coupons WHERE code = p_code;
    IF v_left IS NULL OR v_left = 0 THEN
      RAISE EXCEPTION 'coupon % is not valid', p_code;
    END IF;
    v_due := v_due / 2;
    UPDATE coupons SET uses_left = uses_left - 1 WHERE code = p_code;
  END IF;

  UPDATE products SET stock = v_stock - p_quantity WHERE id = p_product;
  INSERT INTO orders (customer, product, quantity, paid, coupon)
    VALUES (p_customer, p_product, p_quantity, v_due, p_code);
END;
$$;

CREATE PROCEDURE deliver(p_product integer, p_quantity integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE products SET stock = stock + p_quantity WHERE id = p_product;
END;
$$;

--@ session alice: CALL checkout('alice', 1, 2, 'WELCOME');
--@ session bob:   CALL checkout('bob', 1, 2, 'WELCOME'); CALL checkout('bob', 2, 1, NULL);
--@ invariant not_oversold: (SELECT coalesce(sum(quantity), 0) FROM orders WHERE product = 1) <= 3
--@ invariant stock_is_right: (SELECT stock FROM products WHERE id = 1) = 3 - (SELECT coalesce(sum(quantity), 0) FROM orders WHERE product = 1)
--@ invariant coupon_used_once: (SELECT count(*) FROM orders WHERE coupon = 'WELCOME') <= 1
--@ invariant never_free: (SELECT coalesce(min(paid), 1) FROM orders) > 0
