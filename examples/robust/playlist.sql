-- PlayList: fourteen transactions.  Every change of a list writes the list's
-- own row, so two changes of one list never run side by side.
CREATE TABLE users (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE playlists (
  id      integer PRIMARY KEY,
  owner   integer NOT NULL,
  title   text NOT NULL,
  n       integer NOT NULL,
  changes integer NOT NULL
);
CREATE TABLE tracks (
  list integer NOT NULL,
  at   integer NOT NULL,
  song text NOT NULL,
  PRIMARY KEY (list, at)
);
INSERT INTO users VALUES (1, 'ann');
INSERT INTO playlists VALUES (1, 1, 'run', 1, 0);
INSERT INTO tracks VALUES (1, 0, 'go');

CREATE PROCEDURE add_user(p_id integer, p_name text)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO users VALUES (p_id, p_name);
END $$;

CREATE PROCEDURE rename_user(p_id integer, p_name text)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET name = p_name WHERE id = p_id;
END $$;

CREATE PROCEDURE show_user(p_id integer)
LANGUAGE plpgsql AS $$
DECLARE v_name text;
BEGIN
  SELECT name INTO v_name FROM users WHERE id = p_id;
END $$;

CREATE PROCEDURE add_playlist(p_id integer, p_owner integer)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO playlists VALUES (p_id, p_owner, 'new', 0, 0);
END $$;

CREATE PROCEDURE remove_playlist(p_id integer)
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM playlists WHERE id = p_id;
END $$;

CREATE PROCEDURE rename_playlist(p_id integer, p_title text)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE playlists SET title = p_title WHERE id = p_id;
END $$;

CREATE PROCEDURE give_playlist(p_id integer, p_owner integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE playlists SET owner = p_owner WHERE id = p_id;
END $$;

CREATE PROCEDURE add_track(p_list integer, p_song text)
LANGUAGE plpgsql AS $$
DECLARE v_n integer;
BEGIN
  SELECT n INTO v_n FROM playlists WHERE id = p_list;
  IF FOUND THEN
    UPDATE playlists SET n = v_n + 1, changes = changes + 1 WHERE id = p_list;
    INSERT INTO tracks VALUES (p_list, v_n, p_song);
  END IF;
END $$;

CREATE PROCEDURE replace_track(p_list integer, p_song text)
LANGUAGE plpgsql AS $$
DECLARE v_n integer;
BEGIN
  SELECT n INTO v_n FROM playlists WHERE id = p_list;
  IF FOUND THEN
    UPDATE playlists SET n = v_n, changes = changes + 1 WHERE id = p_list;
    UPDATE tracks SET song = p_song WHERE list = p_list AND at = v_n - 1;
  END IF;
END $$;

CREATE PROCEDURE remove_last(p_list integer)
LANGUAGE plpgsql AS $$
DECLARE v_n integer;
BEGIN
  SELECT n INTO v_n FROM playlists WHERE id = p_list;
  IF v_n > 0 THEN
    UPDATE playlists SET n = v_n - 1, changes = changes + 1 WHERE id = p_list;
    DELETE FROM tracks WHERE list = p_list AND at = v_n - 1;
  END IF;
END $$;

CREATE PROCEDURE like_playlist(p_id integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE playlists SET changes = changes + 1 WHERE id = p_id;
END $$;

CREATE PROCEDURE show_playlist(p_id integer)
LANGUAGE plpgsql AS $$
DECLARE v_title text;
BEGIN
  SELECT title INTO v_title FROM playlists WHERE id = p_id;
END $$;

CREATE PROCEDURE show_tracks(p_list integer)
LANGUAGE plpgsql AS $$
DECLARE v_n integer;
BEGIN
  SELECT count(*) INTO v_n FROM tracks WHERE list = p_list;
END $$;

CREATE PROCEDURE of_owner(p_owner integer)
LANGUAGE plpgsql AS $$
DECLARE v_n integer;
BEGIN
  SELECT count(*) INTO v_n FROM playlists WHERE owner = p_owner;
END $$;

--@ session ann: CALL add_track(1, 'on'); CALL show_tracks(1);
--@ session ben: CALL remove_last(1); CALL show_playlist(1);
