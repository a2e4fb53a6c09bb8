-- graphile/worker, issue 580.
-- A job that is asked for again is changed, unless it runs; a worker takes it
-- and removes it when it is done.
-- In one transaction: whoever asks waits for the worker, and inserts then.
-- (The issue is open; this is not what its project does.)
CREATE TABLE job (key text PRIMARY KEY, payload int NOT NULL,
  is_locked boolean NOT NULL);
CREATE TABLE done (id serial PRIMARY KEY, payload int NOT NULL);
CREATE TABLE asked (key text PRIMARY KEY, payload int NOT NULL);
INSERT INTO job VALUES ('mail', 1, false);
INSERT INTO asked VALUES ('mail', 1);

CREATE PROCEDURE add_job(p_key text, p_payload int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO job VALUES (p_key, p_payload, false)
    ON CONFLICT (key) DO UPDATE SET payload = EXCLUDED.payload
      WHERE NOT job.is_locked;
  INSERT INTO asked VALUES (p_key, p_payload)
    ON CONFLICT (key) DO UPDATE SET payload = EXCLUDED.payload;
END $$;

CREATE PROCEDURE run_job(p_key text) LANGUAGE plpgsql AS $$
DECLARE v_payload int;
BEGIN
  UPDATE job SET is_locked = true WHERE key = p_key AND NOT is_locked
    RETURNING payload INTO v_payload;
  IF v_payload IS NOT NULL THEN
    INSERT INTO done (payload) VALUES (v_payload);
    DELETE FROM job WHERE key = p_key;
  END IF;
END $$;

--@ invariant last_is_done_or_waits: NOT EXISTS (SELECT 1 FROM asked WHERE NOT EXISTS (SELECT 1 FROM job WHERE job.key = asked.key AND job.payload = asked.payload) AND NOT EXISTS (SELECT 1 FROM done WHERE done.payload = asked.payload))
