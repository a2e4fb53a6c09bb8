-- pgqueuer, issue 761, pull requests 774 and 777.
-- A worker counts running jobs, then picks one that nobody has locked.
-- A slot per running job, and a unique index over slots.
CREATE TABLE job (id int PRIMARY KEY, status text NOT NULL, slot int);
INSERT INTO job VALUES (1, 'queued', NULL), (2, 'queued', NULL);

CREATE UNIQUE INDEX job_slot ON job (slot);

CREATE PROCEDURE pick(p_limit int) LANGUAGE plpgsql AS $$
DECLARE v_running int; v_job int;
BEGIN
  SELECT count(*) INTO v_running FROM job WHERE status = 'picked';
  IF v_running < 1 THEN
    SELECT id INTO v_job FROM job WHERE status = 'queued' ORDER BY id LIMIT 1
      FOR UPDATE SKIP LOCKED;
    UPDATE job SET status = 'picked', slot = 1 WHERE id = v_job;
  END IF;
END $$;

--@ invariant limit: (SELECT count(*) FROM job WHERE status = 'picked') <= 1
