-- spree, issue 10697; lobsters, issue 1019.
-- A row is locked outside of any transaction: the lock ends with the statement.
-- The COMMIT stands for the end of the statement that locked.
CREATE TABLE vote (story int PRIMARY KEY, score int NOT NULL);
INSERT INTO vote VALUES (1, 0);

CREATE PROCEDURE upvote(p_story int) LANGUAGE plpgsql AS $$
DECLARE v_score int;
BEGIN
  SELECT score INTO v_score FROM vote WHERE story = p_story FOR UPDATE;
  COMMIT;
  UPDATE vote SET score = v_score + 1 WHERE story = p_story;
END $$;
