-- one-api, issue 2397: a lock that the library drops without a word.
-- A code is looked up, the money is paid, the code is marked.
-- The published fix: a lock that is really sent.
CREATE TABLE redemption (id int PRIMARY KEY, quota int NOT NULL,
  is_used boolean NOT NULL);
CREATE TABLE users (id int PRIMARY KEY, quota int NOT NULL);
INSERT INTO redemption VALUES (1, 100, false);
INSERT INTO users VALUES (1, 0), (2, 0);

CREATE PROCEDURE redeem(p_code int, p_user int) LANGUAGE plpgsql AS $$
DECLARE v_quota int;
BEGIN
  SELECT quota INTO v_quota FROM redemption WHERE id = p_code AND NOT is_used
    FOR UPDATE;
  IF v_quota IS NOT NULL THEN
    UPDATE users SET quota = quota + v_quota WHERE id = p_user;
    UPDATE redemption SET is_used = true WHERE id = p_code;
  END IF;
END $$;

--@ invariant paid_once: (SELECT sum(quota) FROM users) <= 100
