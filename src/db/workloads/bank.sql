-- A bank's counter.  Savings and checking accounts are rows of one table; the
-- log of entries is what an auditor would look at.
CREATE TABLE accounts (
  id      integer PRIMARY KEY,
  owner   varchar(20) NOT NULL,
  balance integer NOT NULL
);

CREATE FUNCTION balance_check(p_account integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_balance integer;
BEGIN
  SELECT balance INTO v_balance FROM accounts WHERE id = p_account;
  RETURN v_balance;
END;
$$;

CREATE PROCEDURE deposit(p_account integer, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_balance integer;
BEGIN
  SELECT balance INTO v_balance FROM accounts WHERE id = p_account;
  UPDATE accounts SET balance = v_balance + p_amount WHERE id = p_account;
END;
$$;

-- The same without looking: nobody can tell from what it read.
CREATE PROCEDURE deposit_blindly(p_account integer, p_amount integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET balance = balance + p_amount WHERE id = p_account;
END;
$$;

CREATE PROCEDURE withdraw(p_account integer, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_balance integer;
BEGIN
  SELECT balance INTO v_balance FROM accounts WHERE id = p_account;
  IF v_balance >= p_amount THEN
    UPDATE accounts SET balance = v_balance - p_amount WHERE id = p_account;
  END IF;
END;
$$;

CREATE PROCEDURE transfer(p_from integer, p_to integer, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_from integer;
  v_to   integer;
BEGIN
  SELECT balance INTO v_from FROM accounts WHERE id = p_from;
  SELECT balance INTO v_to FROM accounts WHERE id = p_to;
  IF v_from >= p_amount THEN
    UPDATE accounts SET balance = v_from - p_amount WHERE id = p_from;
    UPDATE accounts SET balance = v_to + p_amount WHERE id = p_to;
  END IF;
END;
$$;

-- One account may be overdrawn as long as the other covers it: write skew.
CREATE PROCEDURE withdraw_overdraft(p_account integer, p_other integer,
                                    p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_total integer;
BEGIN
  SELECT sum(balance) INTO v_total FROM accounts
    WHERE id = p_account OR id = p_other;
  IF v_total >= p_amount THEN
    UPDATE accounts SET balance = balance - p_amount WHERE id = p_account;
  END IF;
END;
$$;

--@ session anyone: CALL deposit(1, 10);
