-- ury, issue 366, on MariaDB at REPEATABLE READ.
-- Who serves the last item of a bill closes the bill.  The bill's row is locked,
-- the other items are read without a lock.
-- They are read as they were before the wait: two items served at once, and
-- the bill stays open.
CREATE TABLE bill (id int PRIMARY KEY, is_closed int NOT NULL);
CREATE TABLE item (id int PRIMARY KEY, bill int NOT NULL, is_served int NOT NULL);
INSERT INTO bill VALUES (1, 0);
INSERT INTO item VALUES (1, 1, 0), (2, 1, 0);

CREATE PROCEDURE serve(p_item int) LANGUAGE plpgsql AS $$
DECLARE v_bill int; v_other int;
BEGIN
  SELECT bill INTO v_bill FROM item WHERE id = p_item;
  PERFORM id FROM bill WHERE id = v_bill FOR UPDATE;
  SELECT id INTO v_other FROM item
    WHERE bill = v_bill AND id <> p_item AND is_served = 0 LIMIT 1;
  UPDATE item SET is_served = 1 WHERE id = p_item;
  IF v_other IS NULL THEN
    UPDATE bill SET is_closed = 1 WHERE id = v_bill;
  END IF;
END $$;

--@ invariant closed: (SELECT min(is_closed) FROM bill) = 1 OR (SELECT min(is_served) FROM item) = 0
