-- A message service that keeps counters next to what they count.
CREATE TABLE users (
  id        integer PRIMARY KEY,
  name      text NOT NULL UNIQUE,
  posts     integer NOT NULL DEFAULT 0,
  followers integer NOT NULL DEFAULT 0
);
CREATE TABLE posts (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  author integer NOT NULL REFERENCES users (id),
  body   text NOT NULL
);
CREATE TABLE follows (
  follower integer NOT NULL REFERENCES users (id),
  followed integer NOT NULL REFERENCES users (id),
  PRIMARY KEY (follower, followed),
  CHECK (follower <> followed)
);
INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'ben');

CREATE PROCEDURE post(p_author integer, p_body text)
LANGUAGE plpgsql AS $$
DECLARE
  v_posts integer;
BEGIN
  INSERT INTO posts (author, body) VALUES (p_author, p_body);
  SELECT posts INTO v_posts FROM users WHERE id = p_author;
  UPDATE users SET posts = v_posts + 1 WHERE id = p_author;
END;
$$;

CREATE PROCEDURE follow(p_follower integer, p_followed integer)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO follows VALUES (p_follower, p_followed)
    ON CONFLICT DO NOTHING;
  IF FOUND THEN
    UPDATE users SET followers = followers + 1 WHERE id = p_followed;
  END IF;
END;
$$;

-- What a profile page shows: the counter, and the posts themselves.
CREATE PROCEDURE show_profile(p_user integer) LANGUAGE plpgsql AS $$
DECLARE
  v_counted integer;
  v_shown   integer;
BEGIN
  SELECT posts INTO v_counted FROM users WHERE id = p_user;
  SELECT count(*) INTO v_shown FROM posts WHERE author = p_user;
END;
$$;

--@ session phone:  CALL post(1, 'hello'); CALL follow(2, 1);
--@ session laptop: CALL post(1, 'world'); CALL follow(2, 1);
--@ session reader: CALL show_profile(1);
--@ invariant posts_counted: NOT EXISTS (SELECT 1 FROM users u WHERE u.posts <> (SELECT count(*) FROM posts p WHERE p.author = u.id))
--@ invariant followers_counted: NOT EXISTS (SELECT 1 FROM users u WHERE u.followers <> (SELECT count(*) FROM follows f WHERE f.followed = u.id))
--@ assert profile_agrees: reader.show_profile.v_counted = reader.show_profile.v_shown
