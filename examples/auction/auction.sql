-- An auction: bids must beat the price; closing it sells to the highest.
CREATE TABLE lots (
  id      integer PRIMARY KEY,
  title   varchar(40) NOT NULL,
  price   integer NOT NULL,
  leader  varchar(20),
  is_open boolean NOT NULL DEFAULT true
);
CREATE TABLE bids (
  lot    integer NOT NULL REFERENCES lots (id),
  bidder varchar(20) NOT NULL,
  amount integer NOT NULL CHECK (amount > 0),
  PRIMARY KEY (lot, bidder, amount)
);
CREATE TABLE sales (
  lot    integer PRIMARY KEY REFERENCES lots (id),
  buyer  varchar(20) NOT NULL,
  amount integer NOT NULL
);
INSERT INTO lots (id, title, price, leader) VALUES (1, 'clock', 50, 'eva');
INSERT INTO bids VALUES (1, 'eva', 50);

CREATE PROCEDURE bid(p_lot integer, p_bidder varchar, p_amount integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_lot lots%ROWTYPE;
BEGIN
  SELECT * INTO v_lot FROM lots WHERE id = p_lot;
  IF NOT v_lot.is_open THEN
    RAISE EXCEPTION '% is sold', v_lot.title;
  ELSIF p_amount <= v_lot.price THEN
    RAISE EXCEPTION '% stands at %', v_lot.title, v_lot.price;
  END IF;
  INSERT INTO bids VALUES (p_lot, p_bidder, p_amount);
  UPDATE lots SET price = p_amount, leader = p_bidder WHERE id = p_lot;
END;
$$;

CREATE PROCEDURE close_lot(p_lot integer) LANGUAGE plpgsql AS $$
DECLARE
  v_best record;
BEGIN
  SELECT bidder, amount INTO v_best FROM bids
    WHERE lot = p_lot ORDER BY amount DESC LIMIT 1;
  UPDATE lots SET is_open = false WHERE id = p_lot;
  INSERT INTO sales VALUES (p_lot, v_best.bidder, v_best.amount);
END;
$$;

--@ session ann:  CALL bid(1, 'ann', 80);
--@ session ben:  CALL bid(1, 'ben', 60);
--@ session desk: CALL close_lot(1);
--@ invariant price_is_highest: (SELECT price FROM lots WHERE id = 1) = (SELECT max(amount) FROM bids WHERE lot = 1)
--@ invariant sold_to_highest: NOT EXISTS (SELECT 1 FROM sales s JOIN bids b ON b.lot = s.lot WHERE b.amount > s.amount)
