-- A message service.  Counters stand beside what they count.
CREATE TABLE users (
  id        integer PRIMARY KEY,
  name      varchar(20) NOT NULL,
  tweets    integer NOT NULL,
  followers integer NOT NULL
);
CREATE TABLE tweets (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  author integer NOT NULL,
  body   varchar(140) NOT NULL
);
CREATE TABLE follows (
  follower integer NOT NULL,
  followed integer NOT NULL,
  PRIMARY KEY (follower, followed)
);
CREATE INDEX tweets_by_author ON tweets (author);

CREATE PROCEDURE new_tweet(p_author integer, p_body varchar)
LANGUAGE plpgsql AS $$
DECLARE
  v_id     bigint;
  v_tweets integer;
BEGIN
  INSERT INTO tweets (author, body) VALUES (p_author, p_body)
    RETURNING id INTO v_id;
  SELECT tweets INTO v_tweets FROM users WHERE id = p_author;
  UPDATE users SET tweets = v_tweets + 1 WHERE id = p_author;
END;
$$;

-- Follows, or follows no longer.
CREATE PROCEDURE follow(p_follower integer, p_followed integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  SELECT count(*) INTO v_count FROM follows
    WHERE follower = p_follower AND followed = p_followed;
  IF v_count = 0 THEN
    INSERT INTO follows VALUES (p_follower, p_followed);
    UPDATE users SET followers = followers + 1 WHERE id = p_followed;
  ELSE
    DELETE FROM follows WHERE follower = p_follower AND followed = p_followed;
    UPDATE users SET followers = followers - 1 WHERE id = p_followed;
  END IF;
END;
$$;

CREATE PROCEDURE timeline(p_user integer) LANGUAGE plpgsql AS $$
DECLARE
  v_tweet record;
  v_shown integer := 0;
BEGIN
  FOR v_tweet IN
    SELECT t.id, t.author, t.body FROM follows f
      JOIN tweets t ON t.author = f.followed
      WHERE f.follower = p_user ORDER BY t.id DESC LIMIT 10
  LOOP
    v_shown := v_shown + 1;
  END LOOP;
END;
$$;

CREATE PROCEDURE show_follow(p_user integer) LANGUAGE plpgsql AS $$
DECLARE
  v_user      record;
  v_followers integer;
  v_shown     integer := 0;
BEGIN
  SELECT followers INTO v_followers FROM users WHERE id = p_user;
  FOR v_user IN SELECT follower FROM follows WHERE followed = p_user
                ORDER BY follower LOOP
    v_shown := v_shown + 1;
  END LOOP;
END;
$$;

CREATE PROCEDURE show_tweets(p_user integer) LANGUAGE plpgsql AS $$
DECLARE
  v_tweet  record;
  v_tweets integer;
  v_shown  integer := 0;
BEGIN
  SELECT tweets INTO v_tweets FROM users WHERE id = p_user;
  FOR v_tweet IN SELECT id, body FROM tweets WHERE author = p_user
                 ORDER BY id DESC LIMIT 10 LOOP
    v_shown := v_shown + 1;
  END LOOP;
END;
$$;

--@ session anyone: CALL timeline(1);
