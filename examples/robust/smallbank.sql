-- SmallBank (Alomari et al., ICDE 2008): five transactions on two accounts per
-- customer.  Not robust against snapshot isolation: WriteCheck,
-- TransactSaving and Balance together.
CREATE TABLE savings (id integer PRIMARY KEY, balance integer NOT NULL);
CREATE TABLE checking (id integer PRIMARY KEY, balance integer NOT NULL);
INSERT INTO savings VALUES (1, 80), (2, 50);
INSERT INTO checking VALUES (1, 50), (2, 50);

CREATE PROCEDURE balance(p_id integer) LANGUAGE plpgsql AS $$
DECLARE
  v_savings  integer;
  v_checking integer;
BEGIN
  SELECT balance INTO v_savings FROM savings WHERE id = p_id;
  SELECT balance INTO v_checking FROM checking WHERE id = p_id;
END $$;

CREATE PROCEDURE deposit_checking(p_id integer, p_amount integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE checking SET balance = balance + p_amount WHERE id = p_id;
END $$;

CREATE PROCEDURE transact_saving(p_id integer, p_amount integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE savings SET balance = balance + p_amount WHERE id = p_id;
END $$;

CREATE PROCEDURE amalgamate(p_from integer, p_to integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_savings  integer;
  v_checking integer;
BEGIN
  SELECT balance INTO v_savings FROM savings WHERE id = p_from FOR UPDATE;
  SELECT balance INTO v_checking FROM checking WHERE id = p_from FOR UPDATE;
  UPDATE savings SET balance = 0 WHERE id = p_from;
  UPDATE checking SET balance = 0 WHERE id = p_from;
  UPDATE checking SET balance = balance + v_savings + v_checking
    WHERE id = p_to;
END $$;

CREATE PROCEDURE write_check(p_id integer, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_savings  integer;
  v_checking integer;
BEGIN
  SELECT balance INTO v_savings FROM savings WHERE id = p_id;
  SELECT balance INTO v_checking FROM checking WHERE id = p_id;
  IF v_savings + v_checking < p_amount THEN
    UPDATE checking SET balance = balance - p_amount - 1 WHERE id = p_id;
  ELSE
    UPDATE checking SET balance = balance - p_amount WHERE id = p_id;
  END IF;
END $$;

--@ session ann: CALL write_check(1, 100);
--@ session ben: CALL transact_saving(1, -50); CALL balance(1);
