-- Ticket sales with an early-bird price for the first ticket.
CREATE TABLE concerts (
  id       integer PRIMARY KEY,
  capacity integer NOT NULL,
  sold     integer NOT NULL DEFAULT 0 CHECK (sold >= 0)
);
CREATE TABLE tickets (
  id      serial PRIMARY KEY,
  concert integer NOT NULL REFERENCES concerts (id),
  buyer   varchar(20) NOT NULL,
  price   integer NOT NULL
);
INSERT INTO concerts (id, capacity) VALUES (7, 2);

CREATE PROCEDURE buy(p_concert integer, p_buyer varchar)
LANGUAGE plpgsql AS $$
DECLARE
  v_sold  integer;
  v_price integer;
BEGIN
  SELECT sold INTO v_sold FROM concerts WHERE id = p_concert;
  v_price := CASE WHEN v_sold < 1 THEN 10 ELSE 25 END;
  UPDATE concerts SET sold = sold + 1
    WHERE id = p_concert AND sold < capacity;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'sold out';
  END IF;
  INSERT INTO tickets (concert, buyer, price)
    VALUES (p_concert, p_buyer, v_price);
END;
$$;

--@ session ann: CALL buy(7, 'ann'); CALL buy(7, 'ann');
--@ session ben: CALL buy(7, 'ben');
--@ invariant not_oversold: (SELECT count(*) FROM tickets) <= 2
--@ invariant counted: (SELECT sold FROM concerts WHERE id = 7) = (SELECT count(*) FROM tickets)
--@ invariant one_early_bird: (SELECT count(*) FROM tickets WHERE price = 10) <= 1
