-- A shared playlist: songs are numbered 1, 2, 3, ... without gaps.
CREATE TABLE playlists (
  id    integer PRIMARY KEY,
  title text NOT NULL,
  songs integer NOT NULL
);
CREATE TABLE entries (
  id       integer PRIMARY KEY,
  playlist integer NOT NULL REFERENCES playlists (id) ON DELETE CASCADE,
  position integer NOT NULL,
  song     text NOT NULL
);
INSERT INTO playlists VALUES (1, 'road trip', 2);
INSERT INTO entries VALUES (11, 1, 1, 'Anthem'), (12, 1, 2, 'Ballad');

CREATE PROCEDURE append(p_entry integer, p_playlist integer, p_song text)
LANGUAGE plpgsql AS $$
DECLARE
  v_last integer;
BEGIN
  SELECT coalesce(max(position), 0) INTO v_last FROM entries
    WHERE playlist = p_playlist;
  INSERT INTO entries VALUES (p_entry, p_playlist, v_last + 1, p_song);
  UPDATE playlists SET songs = songs + 1 WHERE id = p_playlist;
END;
$$;

CREATE PROCEDURE remove(p_entry integer) LANGUAGE plpgsql AS $$
DECLARE
  v_old entries%ROWTYPE;
BEGIN
  SELECT * INTO v_old FROM entries WHERE id = p_entry;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  DELETE FROM entries WHERE id = p_entry;
  UPDATE entries SET position = position - 1
    WHERE playlist = v_old.playlist AND position > v_old.position;
  UPDATE playlists SET songs = songs - 1 WHERE id = v_old.playlist;
END;
$$;

--@ session ann: CALL append(13, 1, 'Chorus');
--@ session ben: CALL append(14, 1, 'Drums'); CALL remove(11);
--@ invariant distinct_positions: (SELECT count(DISTINCT position) FROM entries) = (SELECT count(*) FROM entries)
--@ invariant no_gaps: (SELECT coalesce(max(position), 0) FROM entries) <= (SELECT count(*) FROM entries)
--@ invariant counted: (SELECT songs FROM playlists WHERE id = 1) = (SELECT count(*) FROM entries)
