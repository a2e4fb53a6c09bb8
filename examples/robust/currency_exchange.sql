-- Currency-Exchange: trades are posted and changed by their key; who writes
-- reads nothing else.
CREATE TABLE trades (
  id     integer PRIMARY KEY,
  sell   text NOT NULL,
  buy    text NOT NULL,
  amount integer NOT NULL,
  state  integer NOT NULL
);
INSERT INTO trades VALUES (1, 'EUR', 'USD', 100, 0);

CREATE PROCEDURE post_trade(p_id integer, p_sell text, p_buy text,
                            p_amount integer)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO trades VALUES (p_id, p_sell, p_buy, p_amount, 0);
END $$;

CREATE PROCEDURE settle(p_id integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE trades SET state = 1 WHERE id = p_id;
END $$;

CREATE PROCEDURE cancel(p_id integer) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM trades WHERE id = p_id;
END $$;

CREATE PROCEDURE show_trade(p_id integer) LANGUAGE plpgsql AS $$
DECLARE v_amount integer;
BEGIN
  SELECT amount INTO v_amount FROM trades WHERE id = p_id;
END $$;

CREATE PROCEDURE volume(p_sell text) LANGUAGE plpgsql AS $$
DECLARE v_sum integer;
BEGIN
  SELECT sum(amount) INTO v_sum FROM trades WHERE sell = p_sell;
END $$;

CREATE PROCEDURE open_trades() LANGUAGE plpgsql AS $$
DECLARE v_count integer;
BEGIN
  SELECT count(*) INTO v_count FROM trades WHERE state = 0;
END $$;

--@ session ann: CALL post_trade(2, 'EUR', 'USD', 5); CALL settle(1);
--@ session ben: CALL volume('EUR'); CALL open_trades();
