-- at postgresql
-- Numbers of a sequence stay taken; a released savepoint's rows are the
-- transaction's.
CREATE TABLE t (id serial PRIMARY KEY, n int NOT NULL UNIQUE);
INSERT INTO t (n) VALUES (10);
--@ session a: BEGIN; BEGIN INSERT INTO t (n) VALUES (20); INSERT INTO t (n) VALUES (10); EXCEPTION WHEN OTHERS THEN NULL; END; SAVEPOINT p; INSERT INTO t (n) VALUES (30); RELEASE p; COMMIT;
--@ session b: BEGIN; INSERT INTO t (n) VALUES (20); SELECT n FROM t; COMMIT;
