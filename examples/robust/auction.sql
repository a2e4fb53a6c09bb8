-- Auction: whoever decides something about an item also writes its row.
CREATE TABLE users (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE items (
  id     integer PRIMARY KEY,
  seller integer NOT NULL,
  open   boolean NOT NULL,
  high   integer NOT NULL,
  bidder integer
);
INSERT INTO users VALUES (1, 'ann'), (2, 'ben');
INSERT INTO items VALUES (1, 2, true, 0, NULL);

CREATE PROCEDURE register_user(p_id integer, p_name text)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO users VALUES (p_id, p_name);
END $$;

CREATE PROCEDURE sell_item(p_id integer, p_seller integer)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO items VALUES (p_id, p_seller, true, 0, NULL);
END $$;

CREATE PROCEDURE store_bid(p_item integer, p_user integer, p_amount integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE items SET high = p_amount, bidder = p_user
    WHERE id = p_item AND open AND high < p_amount;
END $$;

CREATE PROCEDURE close_auction(p_item integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE items SET open = false WHERE id = p_item AND open;
END $$;

--@ session ann: CALL store_bid(1, 1, 10); CALL store_bid(2, 1, 5);
--@ session ben: CALL sell_item(2, 2); CALL close_auction(1);
--@ session eve: CALL register_user(3, 'eve'); CALL store_bid(1, 3, 20);
