-- Holdfast, schema version 1, for PostgreSQL. ${tables} is the prefix, holdfast_ unless you chose another.
-- One row per key. The columns state and version are what counts; holder, kind and name are for people.
-- Half-empty pages (fillfactor) let rows be changed in place.
-- Times are microseconds since 1970 by the clock of the database.

CREATE TABLE IF NOT EXISTS ${tables}lock (
  id           VARCHAR(64) NOT NULL,  -- SHA-256 of the key, in hexadecimal
  name         TEXT NOT NULL,  -- the key; characters other than plain ASCII as %hhhh
  kind         VARCHAR(16) NOT NULL,  -- lock, read-write, semaphore, latch; empty when not in use
  version      BIGINT NOT NULL,  -- grows with every change
  tick         BIGINT NOT NULL,  -- of the last grant; fencing tokens are made of it
  state        TEXT NOT NULL,  -- holders, waiters, limit, count; empty when not in use
  holder       VARCHAR(250) NOT NULL,  -- who holds it, in words
  until_micros BIGINT NOT NULL,  -- from then on the state says nothing that matters
  used_micros  BIGINT NOT NULL,  -- the last change
  PRIMARY KEY (id)
) WITH (fillfactor = 50);

-- The highest fencing token that a resource has seen: for JdbcFencing.
CREATE TABLE IF NOT EXISTS ${tables}fence (
  id    VARCHAR(64) NOT NULL,
  name  TEXT NOT NULL,
  token BIGINT NOT NULL,
  PRIMARY KEY (id)
);

-- Last, so that it is there only if the rest is.
CREATE TABLE IF NOT EXISTS ${tables}schema (
  id      INT NOT NULL,
  version INT NOT NULL,
  PRIMARY KEY (id)
);

INSERT INTO ${tables}schema (id, version) VALUES (1, 1);
