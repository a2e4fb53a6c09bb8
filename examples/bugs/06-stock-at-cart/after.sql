-- magento2, issue 6363; confirmed, a shop had a stock of -14.
-- The stock is checked when the order is put together; the row is locked
-- only when it is booked. What is checked is what was locked.
CREATE TABLE stock_item (id int PRIMARY KEY, qty int NOT NULL);
INSERT INTO stock_item VALUES (1, 1);

CREATE PROCEDURE place_order(p_item int, p_qty int) LANGUAGE plpgsql AS $$
DECLARE v_qty int;
BEGIN
  SELECT qty INTO v_qty FROM stock_item WHERE id = p_item FOR UPDATE;
  IF v_qty < p_qty THEN
    RAISE EXCEPTION 'not enough of item %', p_item;
  END IF;
  UPDATE stock_item SET qty = qty - p_qty WHERE id = p_item;
END $$;

--@ invariant not_oversold: (SELECT min(qty) FROM stock_item) >= 0
