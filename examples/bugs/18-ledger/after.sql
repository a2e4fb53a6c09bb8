-- medusa, pull request 16347.
-- A balance is the sum of entries; a debit is checked, then inserted.
-- The published fix: lock the account.
CREATE TABLE account (id int PRIMARY KEY);
CREATE TABLE entry (id serial PRIMARY KEY, account int NOT NULL,
  amount int NOT NULL);
INSERT INTO account VALUES (1);
INSERT INTO entry (account, amount) VALUES (1, 10);

CREATE PROCEDURE debit(p_account int, p_amount int) LANGUAGE plpgsql AS $$
DECLARE v_balance int;
BEGIN
  PERFORM 1 FROM account WHERE id = p_account FOR UPDATE;
  SELECT coalesce(sum(amount), 0) INTO v_balance FROM entry
    WHERE account = p_account;
  IF v_balance >= p_amount AND p_amount > 0 THEN
    INSERT INTO entry (account, amount) VALUES (p_account, -p_amount);
  END IF;
END $$;

--@ invariant covered: (SELECT sum(amount) FROM entry) >= 0
