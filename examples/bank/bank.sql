-- A small bank.  A customer may have several accounts; one of them may be
-- overdrawn as long as the others cover it.
CREATE TABLE accounts (
  id       integer PRIMARY KEY,
  customer varchar(20) NOT NULL,
  balance  integer NOT NULL
);
CREATE TABLE entries (
  id      serial PRIMARY KEY,
  account integer NOT NULL REFERENCES accounts (id),
  amount  integer NOT NULL
);
INSERT INTO accounts VALUES (1, 'ann', 100), (2, 'ann', 100), (3, 'ben', 50);

-- Pays cash out if the customer's accounts together have it.
CREATE PROCEDURE withdraw(p_account integer, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_total integer;
BEGIN
  SELECT sum(balance) INTO v_total FROM accounts
    WHERE customer = (SELECT customer FROM accounts WHERE id = p_account);
  IF v_total < p_amount THEN
    RAISE EXCEPTION 'not enough money in account %', p_account;
  END IF;
  UPDATE accounts SET balance = balance - p_amount WHERE id = p_account;
  INSERT INTO entries (account, amount) VALUES (p_account, -p_amount);
END;
$$;

-- Reads the balance and writes the new one back, as code with objects does.
CREATE PROCEDURE deposit(p_account integer, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_balance integer;
BEGIN
  SELECT balance INTO v_balance FROM accounts WHERE id = p_account;
  v_balance := v_balance + p_amount;
  UPDATE accounts SET balance = v_balance WHERE id = p_account;
  INSERT INTO entries (account, amount) VALUES (p_account, p_amount);
END;
$$;

--@ session atm:     CALL withdraw(1, 150);
--@ session counter: CALL deposit(1, 20); CALL withdraw(2, 150);
--@ invariant books_agree: (SELECT sum(balance) FROM accounts) = 250 + (SELECT coalesce(sum(amount), 0) FROM entries)
--@ invariant covered: NOT EXISTS (SELECT customer FROM accounts GROUP BY customer HAVING sum(balance) < 0)
