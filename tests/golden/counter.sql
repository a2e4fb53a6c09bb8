-- Two people count at the same time; one of them is lost.
CREATE TABLE counters (id integer PRIMARY KEY, n integer NOT NULL);
INSERT INTO counters VALUES (1, 0);

CREATE PROCEDURE hit(p_id integer) LANGUAGE plpgsql AS $$
DECLARE
  v_n integer;
BEGIN
  SELECT n INTO v_n FROM counters WHERE id = p_id;
  UPDATE counters SET n = v_n + 1 WHERE id = p_id;
END $$;

--@ session ann: CALL hit(1);
--@ session ben: CALL hit(1);
--@ invariant counted: (SELECT n FROM counters WHERE id = 1) = 2
