-- Two accounts of one customer: a withdrawal looks at both.
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
INSERT INTO accounts VALUES (1, 0), (2, 0);
--@ open accounts.balance
--@ assume small: NOT EXISTS (SELECT * FROM accounts WHERE balance NOT BETWEEN -1000000 AND 1000000)
--@ assume covered: (SELECT sum(balance) FROM accounts) >= 0

CREATE PROCEDURE withdraw(p_id int, p_amount int) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(balance) FROM accounts) >= p_amount THEN
    UPDATE accounts SET balance = balance - p_amount WHERE id = p_id;
  END IF;
END $$;

--@ session ann: CALL withdraw(1, ?);
--@ session ben: CALL withdraw(2, ?);
--@ assume amounts: ann.withdraw.p_amount BETWEEN 1 AND 1000000 AND ben.withdraw.p_amount BETWEEN 1 AND 1000000
--@ invariant covered: (SELECT sum(balance) FROM accounts) >= 0
