-- zeroid, issue 16; artifact-keeper, pull request 2813; oxAuth, issue 1909.
-- A refresh token is looked up, replaced and revoked.
-- Revoke first, and only who revoked it goes on.
CREATE TABLE token (id int PRIMARY KEY, revoked boolean NOT NULL);
CREATE TABLE successor (id serial PRIMARY KEY, token int NOT NULL);
INSERT INTO token VALUES (1, false);

CREATE PROCEDURE refresh(p_token int) LANGUAGE plpgsql AS $$
DECLARE v_id int;
BEGIN
  UPDATE token SET revoked = true WHERE id = p_token AND NOT revoked
    RETURNING id INTO v_id;
  IF v_id IS NOT NULL THEN
    INSERT INTO successor (token) VALUES (p_token);
  END IF;
END $$;

--@ invariant one_successor: (SELECT count(*) FROM successor) <= 1
