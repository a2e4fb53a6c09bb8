-- Seat reservation.  A seat is sold once: the primary key sees to that.  How
-- many seats a flight sells is checked by counting.
CREATE TABLE flights (
  number   varchar(6) PRIMARY KEY,
  capacity integer NOT NULL
);
CREATE TABLE reservations (
  flight    varchar(6) NOT NULL REFERENCES flights (number),
  seat      varchar(3) NOT NULL,
  passenger varchar(20) NOT NULL,
  PRIMARY KEY (flight, seat)
);
INSERT INTO flights VALUES ('TX10', 3);
INSERT INTO reservations VALUES ('TX10', '1A', 'early bird');

CREATE PROCEDURE reserve(p_flight varchar, p_seat varchar, p_passenger varchar)
LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM reservations WHERE flight = p_flight)
     >= (SELECT capacity FROM flights WHERE number = p_flight) THEN
    RAISE EXCEPTION 'flight % is full', p_flight;
  END IF;
  INSERT INTO reservations VALUES (p_flight, p_seat, p_passenger);
END;
$$;

CREATE PROCEDURE cancel(p_flight varchar, p_seat varchar)
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM reservations WHERE flight = p_flight AND seat = p_seat;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'seat % of % is not reserved', p_seat, p_flight;
  END IF;
END;
$$;

--@ session desk: CALL reserve('TX10', '2A', 'ann'); CALL reserve('TX10', '2B', 'ann');
--@ session web:  CALL reserve('TX10', '2B', 'ben'); CALL reserve('TX10', '3C', 'eva');
--@ invariant not_overbooked: (SELECT count(*) FROM reservations) <= (SELECT capacity FROM flights WHERE number = 'TX10')
--@ invariant seat_sold_once: NOT EXISTS (SELECT flight, seat FROM reservations GROUP BY flight, seat HAVING count(*) > 1)
