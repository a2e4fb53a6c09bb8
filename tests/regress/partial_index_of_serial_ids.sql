-- Which numbers a sequence gives is no mere name where the condition of an index
-- looks at them.  They were once taken as names, and states as equal.
CREATE TABLE t (id serial PRIMARY KEY, n int);
CREATE UNIQUE INDEX odd ON t (n) WHERE id % 2 = 1;
CREATE PROCEDURE add(v int) LANGUAGE plpgsql AS $$
BEGIN INSERT INTO t (n) VALUES (v); END $$;
--@ session a: CALL add(5);
--@ session b: CALL add(6); CALL add(5);
--@ invariant one: (SELECT count(*) FROM t WHERE n = 5) <= 1
