-- Cassieq-Core: a message queue.  Every decision is a compare-and-set of the
-- row that it is about.
CREATE TABLE queues (
  id      integer PRIMARY KEY,
  next_id integer NOT NULL,
  active  boolean NOT NULL
);
CREATE TABLE pointers (id integer PRIMARY KEY, at integer NOT NULL);
CREATE TABLE messages (
  id      integer PRIMARY KEY,
  body    text NOT NULL,
  version integer NOT NULL,
  acked   boolean NOT NULL
);
INSERT INTO queues VALUES (1, 2, true);
INSERT INTO pointers VALUES (1, 1);
INSERT INTO messages VALUES (1, 'hello', 0, false);

CREATE PROCEDURE create_queue(p_id integer) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO queues VALUES (p_id, 1, true);
END $$;

CREATE PROCEDURE delete_queue(p_id integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE queues SET active = false WHERE id = p_id AND active;
END $$;

CREATE PROCEDURE next_id(p_queue integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE queues SET next_id = next_id + 1 WHERE id = p_queue AND active;
END $$;

CREATE PROCEDURE put(p_id integer, p_body text) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO messages VALUES (p_id, p_body, 0, false);
END $$;

CREATE PROCEDURE consume(p_id integer, p_version integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE messages SET version = version + 1
    WHERE id = p_id AND version = p_version AND NOT acked;
END $$;

CREATE PROCEDURE ack(p_id integer, p_version integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE messages SET acked = true
    WHERE id = p_id AND version = p_version AND NOT acked;
END $$;

CREATE PROCEDURE move_pointer(p_pointer integer, p_from integer, p_to integer)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pointers SET at = p_to WHERE id = p_pointer AND at = p_from;
END $$;

CREATE PROCEDURE get_message(p_id integer) LANGUAGE plpgsql AS $$
DECLARE v_body text;
BEGIN
  SELECT body INTO v_body FROM messages WHERE id = p_id AND NOT acked;
END $$;

--@ session ann: CALL consume(1, 0); CALL ack(1, 1);
--@ session ben: CALL consume(1, 0); CALL get_message(1);
