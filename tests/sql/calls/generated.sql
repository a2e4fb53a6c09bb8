-- Generated columns: after all triggers, in every row, never given.
CREATE TABLE lines (
  id int PRIMARY KEY, price numeric(8, 2) NOT NULL, n int NOT NULL DEFAULT 1,
  total numeric(10, 1) GENERATED ALWAYS AS (price * n) STORED CHECK (total < 100),
  label text GENERATED ALWAYS AS ('#' || id || coalesce(':' || n, '')) STORED);
INSERT INTO lines (id, price, n) VALUES (1, 2.55, 3), (2, 10, 1);
CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.n := NEW.n + 1; RETURN NEW; END $$;
CREATE TRIGGER zz BEFORE UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION more();
CREATE UNIQUE INDEX totals ON lines (total);
CREATE TABLE seen (at serial PRIMARY KEY, total numeric, label text);
CREATE PROCEDURE put(i int, p numeric, k int) LANGUAGE plpgsql AS $$
DECLARE t numeric; l text;
BEGIN
  INSERT INTO lines VALUES (i, p, k) RETURNING total, label INTO t, l;
  INSERT INTO seen (total, label) VALUES (t, l);
END $$;
CREATE PROCEDURE raise_all() LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lines SET price = price + 1;
  INSERT INTO seen (total, label) SELECT total, label FROM lines ORDER BY id;
END $$;
--@ session a: CALL put(3, 4, 5); CALL raise_all(); CALL put(4, 60, 2); CALL put(5, NULL, 1);
--@ session b: CALL put(6, 1, 10); BEGIN; UPDATE lines SET total = DEFAULT, n = 7 WHERE id = 1; COMMIT; CALL raise_all();
