-- With tokens: the auction is closed only when both bidders gave theirs away.
CREATE TABLE auctions (id int PRIMARY KEY, state int NOT NULL, winner int);
CREATE TABLE bids (bidder int PRIMARY KEY, amount int NOT NULL, has_token boolean NOT NULL);
INSERT INTO auctions VALUES (1, 0, NULL);
INSERT INTO bids VALUES (1, 0, true), (2, 0, true);

CREATE PROCEDURE start_auction() LANGUAGE plpgsql AS $$
BEGIN
  UPDATE auctions SET state = 1 WHERE id = 1 AND state = 0;
END $$;
CREATE PROCEDURE place(p_bidder int, p_amount int) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT state FROM auctions WHERE id = 1) = 1 THEN
    UPDATE bids SET amount = p_amount, has_token = false WHERE bidder = p_bidder;
  ELSE
    UPDATE bids SET has_token = false WHERE bidder = p_bidder;
  END IF;
END $$;
CREATE PROCEDURE close_auction() LANGUAGE plpgsql AS $$
DECLARE v_winner int;
BEGIN
  IF (SELECT state FROM auctions WHERE id = 1) <> 1 OR EXISTS (SELECT * FROM bids WHERE has_token) THEN
    RAISE EXCEPTION 'not yet';
  END IF;
  SELECT bidder INTO v_winner FROM bids ORDER BY amount DESC, bidder LIMIT 1;
  UPDATE auctions SET state = 2, winner = v_winner WHERE id = 1;
END $$;

--@ session owner: CALL start_auction();
--@ session ann: CALL place(1, ?);
--@ session ben: CALL place(2, ?);
--@ session clerk: CALL close_auction();
--@ assume positive: ann.place.p_amount >= 1 AND ben.place.p_amount >= 1
--@ invariant highest: (SELECT winner FROM auctions WHERE id = 1) IS NULL OR (SELECT winner FROM auctions WHERE id = 1) = (SELECT bidder FROM bids ORDER BY amount DESC, bidder LIMIT 1)
