-- at postgresql:read-committed
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO log VALUES (1, 0), (2, 0);
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE log SET n = n + 1 WHERE id = 1 + NEW.id % 2; RETURN NEW; END $$;
CREATE TRIGGER f AFTER INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();
--@ session s1: BEGIN; UPDATE log SET n = n + 10 WHERE id = 1; COMMIT;
--@ session s2: BEGIN; UPDATE log SET n = n + 10 WHERE id = 1; UPDATE t SET n = 30 WHERE id = 1; COMMIT;
--@ session s3: BEGIN; SELECT id, n FROM log FOR UPDATE; COMMIT;
