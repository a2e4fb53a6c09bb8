-- Keys hold at every level.  Below serializable, two bookings of one slot were
-- once both committed: a false alarm.
CREATE TABLE booking (id int PRIMARY KEY, slot int UNIQUE);
CREATE PROCEDURE book(n int) LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM booking WHERE slot = 7) THEN
    INSERT INTO booking VALUES (n, 7);
  END IF;
END $$;
--@ session a: CALL book(1);
--@ session b: CALL book(2);
--@ invariant one: (SELECT count(*) FROM booking WHERE slot = 7) <= 1
