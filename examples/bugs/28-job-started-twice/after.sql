-- OCA/queue, issue 858, pull requests 859 and 866; linkid, issue 397.
-- A job is locked and looked at, the lock is given back, then it is started.
-- The lock is kept until the job is marked; who does not get it goes away.
CREATE TABLE queue_job (id int PRIMARY KEY, state text NOT NULL,
  runs int NOT NULL);
INSERT INTO queue_job VALUES (1, 'pending', 0);

CREATE PROCEDURE run_job(p_job int) LANGUAGE plpgsql AS $$
DECLARE v_state text;
BEGIN
  SELECT state INTO v_state FROM queue_job WHERE id = p_job
    FOR UPDATE SKIP LOCKED;
  IF v_state = 'pending' THEN
    UPDATE queue_job SET state = 'started', runs = runs + 1 WHERE id = p_job;
  END IF;
END $$;

--@ invariant runs_once: (SELECT max(runs) FROM queue_job) <= 1
