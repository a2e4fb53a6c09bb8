-- An auction site: items with counters for bids, direct purchases, comments.
CREATE TABLE users (
  id     integer PRIMARY KEY,
  nick   varchar(20) NOT NULL UNIQUE,
  rating integer NOT NULL DEFAULT 0
);
CREATE TABLE items (
  id            integer PRIMARY KEY,
  name          varchar(40) NOT NULL,
  seller        integer NOT NULL REFERENCES users (id),
  initial_price numeric(10,2) NOT NULL,
  quantity      integer NOT NULL,
  buy_now       numeric(10,2),
  nb_of_bids    integer NOT NULL DEFAULT 0,
  max_bid       numeric(10,2),
  end_date      date NOT NULL
);
CREATE TABLE bids (
  id      serial PRIMARY KEY,
  item    integer NOT NULL REFERENCES items (id),
  bidder  integer NOT NULL REFERENCES users (id),
  qty     integer NOT NULL,
  bid     numeric(10,2) NOT NULL
);
CREATE TABLE purchases (
  id    serial PRIMARY KEY,
  item  integer NOT NULL REFERENCES items (id),
  buyer integer NOT NULL REFERENCES users (id),
  qty   integer NOT NULL
);
INSERT INTO users (id, nick) VALUES (1, 'ann'), (2, 'ben'), (3, 'eva');
INSERT INTO items (id, name, seller, initial_price, quantity, buy_now, end_date)
  VALUES (1, 'radio', 3, 10.00, 2, 30.00, DATE '2030-01-31');

CREATE PROCEDURE store_bid(p_item integer, p_user integer, p_qty integer,
                           p_bid numeric)
LANGUAGE plpgsql AS $$
DECLARE
  v_bids integer;
  v_max  numeric(10,2);
BEGIN
  SELECT nb_of_bids, coalesce(max_bid, initial_price) INTO v_bids, v_max
    FROM items WHERE id = p_item;
  IF p_bid < v_max THEN
    RAISE EXCEPTION 'a bid of at least % is needed', v_max;
  END IF;
  INSERT INTO bids (item, bidder, qty, bid)
    VALUES (p_item, p_user, p_qty, p_bid);
  UPDATE items SET nb_of_bids = v_bids + 1, max_bid = p_bid
    WHERE id = p_item;
END;
$$;

CREATE PROCEDURE buy_now(p_item integer, p_user integer, p_qty integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_left integer;
BEGIN
  SELECT quantity INTO v_left FROM items WHERE id = p_item;
  IF v_left < p_qty THEN
    RAISE EXCEPTION 'only % left', v_left;
  END IF;
  UPDATE items SET quantity = quantity - p_qty WHERE id = p_item;
  INSERT INTO purchases (item, buyer, qty) VALUES (p_item, p_user, p_qty);
END;
$$;

CREATE PROCEDURE rate_seller(p_item integer, p_points integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET rating = rating + p_points
    WHERE id = (SELECT seller FROM items WHERE id = p_item);
END;
$$;

--@ session ann: CALL store_bid(1, 1, 1, 20.00); CALL buy_now(1, 1, 2);
--@ session ben: CALL store_bid(1, 2, 1, 15.00); CALL buy_now(1, 2, 1);
--@ invariant bids_counted: (SELECT nb_of_bids FROM items WHERE id = 1) = (SELECT count(*) FROM bids WHERE item = 1)
--@ invariant max_bid_right: (SELECT coalesce(max_bid, 0) FROM items WHERE id = 1) = (SELECT coalesce(max(bid), 0) FROM bids WHERE item = 1)
--@ invariant not_oversold: (SELECT quantity FROM items WHERE id = 1) >= 0
