-- A ticket costs 10 and one more for each that was sold before.
CREATE TABLE events (id int PRIMARY KEY, sold int NOT NULL, amount int NOT NULL, sold_before int NOT NULL, amount_before int NOT NULL);
INSERT INTO events VALUES (1, 0, 0, 0, 0);
--@ open events.sold
--@ open events.amount
--@ open events.sold_before
--@ open events.amount_before
--@ assume range: NOT EXISTS (SELECT * FROM events WHERE sold NOT BETWEEN 0 AND 1000 OR amount NOT BETWEEN 0 AND 1000000)
--@ assume before: NOT EXISTS (SELECT * FROM events WHERE sold <> sold_before OR amount <> amount_before)

CREATE PROCEDURE purchase() LANGUAGE plpgsql AS $$
DECLARE v_sold int; v_amount int;
BEGIN
  SELECT sold, amount INTO v_sold, v_amount FROM events WHERE id = 1;
  UPDATE events SET sold = v_sold + 1, amount = v_amount + 10 + v_sold WHERE id = 1;
END $$;

--@ session ann: CALL purchase();
--@ session ben: CALL purchase();
--@ session cem: CALL purchase();
--@ invariant collected: (SELECT amount = amount_before + 30 + 3 * sold_before + 3 FROM events WHERE id = 1)
