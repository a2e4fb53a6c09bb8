-- at postgresql:read-committed, postgresql:repeatable-read
CREATE TABLE t (id int PRIMARY KEY, n int);
CREATE TABLE h (id int, n int);
CREATE TABLE log (id serial PRIMARY KEY, o jsonb, w text);
INSERT INTO t VALUES (1, 1);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO h SELECT OLD.*;
  IF ROW(NEW.*) IS DISTINCT FROM ROW(OLD.*) THEN
    INSERT INTO h VALUES (NEW.*);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log (o, w) VALUES (to_jsonb(OLD), row_to_json(NEW)::text);
  RETURN COALESCE(NEW, OLD);
END $$;
CREATE TRIGGER a AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION keep();
CREATE TRIGGER c AFTER UPDATE ON t FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION note();
--@ session s1: BEGIN; UPDATE t SET n = 2; SELECT o, w FROM log; COMMIT;
--@ session s2: BEGIN; UPDATE t SET n = coalesce(n, 2) WHERE n = 1; UPDATE t SET n = NULL; SELECT id, n FROM h; COMMIT;
