-- at postgresql
-- A BEFORE trigger reads with a snapshot of its own, after the row is locked.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE most (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10);
INSERT INTO most VALUES (1, 12);
CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE m int; BEGIN
  SELECT n INTO m FROM most WHERE id = 1;
  IF NEW.n > m THEN NEW.n := m; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER cut BEFORE INSERT OR UPDATE OF n ON t FOR EACH ROW EXECUTE FUNCTION cut();
--@ session a: BEGIN; UPDATE t SET n = n + 4 WHERE id = 1; COMMIT;
--@ session b: BEGIN; UPDATE most SET n = 11 WHERE id = 1; UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;
