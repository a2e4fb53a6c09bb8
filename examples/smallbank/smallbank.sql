-- SmallBank: every customer has a savings and a checking account.
CREATE TABLE account (
  custid integer PRIMARY KEY,
  name   varchar(20) NOT NULL UNIQUE
);
CREATE TABLE savings (
  custid integer PRIMARY KEY REFERENCES account (custid),
  bal    integer NOT NULL
);
CREATE TABLE checking (
  custid integer PRIMARY KEY REFERENCES account (custid),
  bal    integer NOT NULL
);
INSERT INTO account VALUES (1, 'ann'), (2, 'ben');
INSERT INTO savings VALUES (1, 50), (2, 50);
INSERT INTO checking VALUES (1, 50), (2, 50);

CREATE PROCEDURE balance(p_name varchar) LANGUAGE plpgsql AS $$
DECLARE
  v_total integer;
BEGIN
  SELECT s.bal + c.bal INTO STRICT v_total
    FROM account a
    JOIN savings s ON s.custid = a.custid
    JOIN checking c ON c.custid = a.custid
    WHERE a.name = p_name;
END;
$$;

CREATE PROCEDURE deposit_checking(p_name varchar, p_amount integer)
LANGUAGE plpgsql AS $$
BEGIN
  IF p_amount < 0 THEN
    RAISE EXCEPTION 'a deposit cannot be negative';
  END IF;
  UPDATE checking SET bal = bal + p_amount
    WHERE custid = (SELECT custid FROM account WHERE name = p_name);
END;
$$;

CREATE PROCEDURE transact_savings(p_name varchar, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_bal integer;
BEGIN
  SELECT s.bal INTO STRICT v_bal
    FROM savings s JOIN account a ON a.custid = s.custid
    WHERE a.name = p_name;
  IF v_bal + p_amount < 0 THEN
    RAISE EXCEPTION 'the savings of % do not suffice', p_name;
  END IF;
  UPDATE savings SET bal = v_bal + p_amount
    WHERE custid = (SELECT custid FROM account WHERE name = p_name);
END;
$$;

CREATE PROCEDURE amalgamate(p_from varchar, p_to varchar)
LANGUAGE plpgsql AS $$
DECLARE
  v_from  integer;
  v_total integer;
BEGIN
  SELECT a.custid, s.bal + c.bal INTO STRICT v_from, v_total
    FROM account a
    JOIN savings s ON s.custid = a.custid
    JOIN checking c ON c.custid = a.custid
    WHERE a.name = p_from;
  UPDATE savings SET bal = 0 WHERE custid = v_from;
  UPDATE checking SET bal = 0 WHERE custid = v_from;
  UPDATE checking SET bal = bal + v_total
    WHERE custid = (SELECT custid FROM account WHERE name = p_to);
END;
$$;

-- A check that is not covered costs a penalty of 1.
CREATE PROCEDURE write_check(p_name varchar, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_custid  integer;
  v_total   integer;
  v_penalty integer := 0;
BEGIN
  SELECT a.custid, s.bal + c.bal INTO STRICT v_custid, v_total
    FROM account a
    JOIN savings s ON s.custid = a.custid
    JOIN checking c ON c.custid = a.custid
    WHERE a.name = p_name;
  IF v_total < p_amount THEN
    v_penalty := 1;
  END IF;
  UPDATE checking SET bal = bal - p_amount - v_penalty
    WHERE custid = v_custid;
END;
$$;

--@ session ann:    CALL write_check('ann', 110);
--@ session office: CALL transact_savings('ann', 20); CALL deposit_checking('ben', 5);
--@ session clerk:  CALL balance('ann');
--@ invariant savings_nonnegative: NOT EXISTS (SELECT 1 FROM savings WHERE bal < 0)
--@ assert penalty_is_fair: NOT (clerk.balance.v_total = 120 AND ann.write_check.v_penalty = 1)
