-- at postgresql
-- An AFTER trigger that counts, in a row that everybody needs.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE total (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO total VALUES (1, 30);
CREATE FUNCTION add_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE total SET n = n + NEW.n - OLD.n WHERE id = 1;
  RETURN NULL;
END $$;
CREATE TRIGGER add_up AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION add_up();
--@ session a: BEGIN; UPDATE t SET n = n + 1 WHERE id = 1; SELECT n FROM total; COMMIT;
--@ session b: BEGIN; UPDATE t SET n = n + 5 WHERE id = 2; COMMIT;
