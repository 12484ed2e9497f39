-- Holdfast, schema version 1, for PostgreSQL. ${tables} is the prefix, holdfast_ by default.
-- One row per key. Holdfast uses state, version and tick; holder, kind and name are for operators.
-- Half-empty pages (fillfactor) allow updates in place.
-- Times are microseconds since 1970 by the clock of the database.

CREATE TABLE IF NOT EXISTS ${tables}lock (
  id           VARCHAR(64) NOT NULL,  -- SHA-256 of the key, in hexadecimal
  name         TEXT NOT NULL,  -- the key; characters other than plain ASCII as %hhhh
  kind         VARCHAR(16) NOT NULL,  -- lock, read-write, semaphore, latch; empty when not in use
  version      BIGINT NOT NULL,  -- grows with each change
  tick         BIGINT NOT NULL,  -- the last grant; fencing tokens are made of it
  state        TEXT NOT NULL,  -- holders, waiters, limit, count; empty when not in use
  holder       VARCHAR(250) NOT NULL,  -- a description of the holder
  until_micros BIGINT NOT NULL,  -- the state is obsolete from this time on
  used_micros  BIGINT NOT NULL,  -- the time of the last change
  PRIMARY KEY (id)
) WITH (fillfactor = 50);

-- The highest fencing token that a resource has seen, for JdbcFencing.
CREATE TABLE IF NOT EXISTS ${tables}fence (
  id    VARCHAR(64) NOT NULL,
  name  TEXT NOT NULL,
  token BIGINT NOT NULL,
  PRIMARY KEY (id)
);

-- Created last, so that it exists only if the other tables do.
CREATE TABLE IF NOT EXISTS ${tables}schema (
  id      INT NOT NULL,
  version INT NOT NULL,
  PRIMARY KEY (id)
);

INSERT INTO ${tables}schema (id, version) VALUES (1, 1);
