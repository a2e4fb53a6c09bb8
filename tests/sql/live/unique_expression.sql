-- at postgresql
-- A unique index on an expression, and ON CONFLICT that names it.
CREATE TABLE u (id int PRIMARY KEY, email text NOT NULL);
CREATE UNIQUE INDEX ON u (lower(email));
INSERT INTO u VALUES (1, 'Ann'), (2, 'carl');
--@ session a: BEGIN; INSERT INTO u VALUES (3, 'bob'); UPDATE u SET email = 'ANN' WHERE id = 1; COMMIT;
--@ session b: BEGIN; UPDATE u SET email = 'Bob' WHERE id = 2; INSERT INTO u VALUES (4, 'anN') ON CONFLICT (lower(email)) DO UPDATE SET email = excluded.email || '!'; COMMIT;
