-- A function whose body could not be read was once called as one that does
-- nothing: a verdict about other transactions than the file has.
CREATE TABLE x (a int);
CREATE FUNCTION h() RETURNS int LANGUAGE plpython3u AS $$ return 1 $$;
CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.a := h(); RETURN NEW; END $$;
CREATE TRIGGER z BEFORE INSERT ON x FOR EACH ROW EXECUTE FUNCTION g();
--@ session w: INSERT INTO x VALUES (1);
