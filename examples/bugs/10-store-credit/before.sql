-- spree, issue 11284.
-- The payment is locked, but the credit that it takes from is not.
-- Two payments of one credit both see all of it.
CREATE TABLE store_credit (id int PRIMARY KEY, amount int NOT NULL,
  used int NOT NULL);
CREATE TABLE payment (id int PRIMARY KEY, credit int NOT NULL,
  amount int NOT NULL, state text NOT NULL);
INSERT INTO store_credit VALUES (1, 10, 0);
INSERT INTO payment VALUES (1, 1, 10, 'checkout'), (2, 1, 10, 'checkout');

CREATE PROCEDURE capture(p_payment int) LANGUAGE plpgsql AS $$
DECLARE v_credit int; v_amount int; v_left int;
BEGIN
  SELECT credit, amount INTO v_credit, v_amount FROM payment
    WHERE id = p_payment AND state = 'checkout' FOR UPDATE;
  SELECT amount - used INTO v_left FROM store_credit WHERE id = v_credit;
  IF v_left >= v_amount THEN
    UPDATE store_credit SET used = used + v_amount WHERE id = v_credit;
    UPDATE payment SET state = 'completed' WHERE id = p_payment;
  END IF;
END $$;

--@ invariant covered: (SELECT count(*) FROM store_credit WHERE used > amount) = 0
