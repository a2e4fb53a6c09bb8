-- procrastinate, issue 103.
-- Of jobs with one lock name only one may run.
-- A unique index over the names of running jobs.
CREATE TABLE job (id int PRIMARY KEY, lock_name text NOT NULL,
  status text NOT NULL);
INSERT INTO job VALUES (1, 'invoice', 'todo'), (2, 'invoice', 'todo');

CREATE UNIQUE INDEX one_running ON job (lock_name) WHERE status = 'doing';

CREATE PROCEDURE fetch_job() LANGUAGE plpgsql AS $$
DECLARE v_job int;
BEGIN
  SELECT id INTO v_job FROM job j WHERE status = 'todo' AND NOT EXISTS
      (SELECT 1 FROM job d WHERE d.lock_name = j.lock_name AND d.status = 'doing')
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
  UPDATE job SET status = 'doing' WHERE id = v_job;
END $$;

--@ invariant one_at_a_time: (SELECT count(*) FROM job WHERE status = 'doing') <= 1
