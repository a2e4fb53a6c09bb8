-- at postgresql
-- A statement of a trigger waits, and others commit meanwhile: the ones before it
-- have their snapshots, and what they saw, already.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE k (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
INSERT INTO k VALUES (1, 1), (2, 2);
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE s int; BEGIN
  SELECT n INTO s FROM k WHERE id = 1;
  UPDATE k SET n = n + 1 WHERE id = 2;
  INSERT INTO log VALUES (NEW.n, s);
  RETURN NEW;
END $$;
CREATE TRIGGER f BEFORE UPDATE ON t FOR EACH ROW WHEN (NEW.n <> OLD.n) EXECUTE FUNCTION f();
--@ session a: BEGIN; UPDATE t SET n = 11 WHERE id = 1; COMMIT;
--@ session b: BEGIN; UPDATE k SET n = 5 WHERE id = 2; UPDATE k SET n = 7 WHERE id = 1; COMMIT;
