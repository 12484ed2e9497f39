-- Holdfast, schema version 1, for SQLite. ${tables} is the prefix, holdfast_ unless you chose another.
-- One row per key. The columns state and version are what counts; holder, kind and name are for people.
-- Times are microseconds since 1970 by the clock of the database.

CREATE TABLE IF NOT EXISTS ${tables}lock (
  id           TEXT NOT NULL,  -- SHA-256 of the key, in hexadecimal
  name         TEXT NOT NULL,  -- the key; characters other than plain ASCII as %hhhh
  kind         TEXT NOT NULL,  -- lock, read-write, semaphore, latch; empty when not in use
  version      BIGINT NOT NULL,  -- grows with every change
  tick         BIGINT NOT NULL,  -- of the last grant; fencing tokens are made of it
  state        TEXT NOT NULL,  -- holders, waiters, limit, count; empty when not in use
  holder       TEXT NOT NULL,  -- who holds it, in words
  until_micros BIGINT NOT NULL,  -- from then on the state says nothing that matters
  used_micros  BIGINT NOT NULL,  -- the last change
  PRIMARY KEY (id)
) WITHOUT ROWID;

-- The highest fencing token that a resource has seen: for JdbcFencing.
CREATE TABLE IF NOT EXISTS ${tables}fence (
  id    TEXT NOT NULL,
  name  TEXT NOT NULL,
  token BIGINT NOT NULL,
  PRIMARY KEY (id)
) WITHOUT ROWID;

-- Last, so that it is there only if the rest is.
CREATE TABLE IF NOT EXISTS ${tables}schema (
  id      INT NOT NULL,
  version INT NOT NULL,
  PRIMARY KEY (id)
) WITHOUT ROWID;

INSERT INTO ${tables}schema (id, version) VALUES (1, 1);
