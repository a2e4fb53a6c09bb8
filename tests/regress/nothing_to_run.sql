-- A file with nothing to run is no robust application.
CREATE TABLE t (id int PRIMARY KEY);
DO $$ BEGIN INSERT INTO t VALUES (1); END $$;
