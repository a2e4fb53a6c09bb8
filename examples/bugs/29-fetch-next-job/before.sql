-- Hangfire.PostgreSql, issue 4, pull requests 169 and 191.
-- The next job is chosen in a subquery and claimed around it.
-- The subquery is not run again after a wait: one job, two workers.
CREATE TABLE job_queue (id int PRIMARY KEY, fetched_by int);
CREATE TABLE fetched (id serial PRIMARY KEY, job int NOT NULL);
INSERT INTO job_queue VALUES (1, NULL), (2, NULL);

CREATE PROCEDURE fetch_next(p_worker int) LANGUAGE plpgsql AS $$
DECLARE v_job int;
BEGIN
  UPDATE job_queue SET fetched_by = p_worker WHERE id IN
      (SELECT id FROM job_queue WHERE fetched_by IS NULL ORDER BY id LIMIT 1)
    RETURNING id INTO v_job;
  IF v_job IS NOT NULL THEN
    INSERT INTO fetched (job) VALUES (v_job);
  END IF;
END $$;

--@ invariant fetched_once: (SELECT count(*) FROM fetched) = (SELECT count(DISTINCT job) FROM fetched)
