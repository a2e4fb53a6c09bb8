-- spree, issue 3792; openfoodnetwork, issues 2067 and 4018.
-- The stock is checked, then lowered, and ends at -1.
-- Both see one piece.
CREATE TABLE stock_item (id int PRIMARY KEY, count_on_hand int NOT NULL);
INSERT INTO stock_item VALUES (1, 1);

CREATE PROCEDURE unstock(p_item int) LANGUAGE plpgsql AS $$
DECLARE v_count int;
BEGIN
  SELECT count_on_hand INTO v_count FROM stock_item WHERE id = p_item;
  IF v_count > 0 THEN
    UPDATE stock_item SET count_on_hand = count_on_hand - 1 WHERE id = p_item;
  END IF;
END $$;

--@ invariant not_negative: (SELECT min(count_on_hand) FROM stock_item) >= 0
