-- Two sessions count up by amounts that are not known.
CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO counters VALUES (1, 0);

CREATE PROCEDURE count_up(by_how_much int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counters SET n = n + by_how_much WHERE id = 1;
END $$;

--@ session ann: CALL count_up(?);
--@ session ben: CALL count_up(1);
--@ assume small: ann.count_up.by_how_much BETWEEN 1 AND 1000
--@ invariant both: (SELECT n FROM counters) > 1
--@ invariant some: (SELECT n FROM counters) >= 1
