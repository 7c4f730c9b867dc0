-- Version 1. @KEY and @BYTES stand for the backend's words; everything else is the same in SQLite and PostgreSQL.
-- Moments are Unix milliseconds.

-- Numbers that only grow. Who adds to one holds its row until the end of the transaction, so numbers are given out in the
-- order of commits: a reader that has seen report 7 never finds a report 6 that was not there before.
CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
INSERT INTO counters (name, value) VALUES
  ('moment', 0), ('inventory', 0), ('report', 0), ('archive_bytes', 0), ('event', 0), ('session', 0), ('audit', 0);

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE inventories (
  version @KEY,
  at_ms BIGINT NOT NULL,
  changed_by TEXT NOT NULL,
  document TEXT NOT NULL
);

CREATE TABLE plans (version @KEY, at_ms BIGINT NOT NULL, document @BYTES NOT NULL);

CREATE TABLE reports (
  id @KEY,
  server TEXT NOT NULL,
  outbox @BYTES NOT NULL,
  sequence BIGINT NOT NULL,
  received_at_ms BIGINT NOT NULL,
  observed_at_ms BIGINT NOT NULL,
  payload @BYTES NOT NULL,
  UNIQUE (server, outbox, sequence)
);
CREATE INDEX reports_received ON reports (received_at_ms);

-- What of an outbox is stored, also when its reports were pruned long ago.
CREATE TABLE outboxes (
  server TEXT NOT NULL,
  outbox @BYTES NOT NULL,
  highest BIGINT NOT NULL,
  last_at_ms BIGINT NOT NULL,
  PRIMARY KEY (server, outbox)
);

CREATE TABLE checkpoints (
  id @KEY,
  through_report BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  inventory_version BIGINT NOT NULL,
  ledger @BYTES NOT NULL
);

CREATE TABLE standing (
  entry_point TEXT PRIMARY KEY,
  unreachable TEXT NOT NULL,
  blocked TEXT NOT NULL,
  since_ms BIGINT NOT NULL
);

CREATE TABLE events (
  id @KEY,
  at_ms BIGINT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  from_word TEXT,
  to_word TEXT,
  reason TEXT NOT NULL
);
CREATE INDEX events_subject ON events (subject, id);
CREATE INDEX events_kind ON events (kind, id);

-- A span ends where the next one of the server begins.
CREATE TABLE status_spans (
  server TEXT NOT NULL,
  since_ms BIGINT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (server, since_ms)
);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hash @BYTES NOT NULL UNIQUE,
  created_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT
);

CREATE TABLE enrolments (
  id TEXT PRIMARY KEY,
  server TEXT NOT NULL,
  hash @BYTES NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  closed BIGINT NOT NULL DEFAULT 0,
  key_fingerprint @BYTES,
  certificate_der @BYTES
);
CREATE INDEX enrolments_server ON enrolments (server);

CREATE TABLE certificates (
  fingerprint @BYTES PRIMARY KEY,
  server TEXT NOT NULL,
  der @BYTES NOT NULL,
  not_before_ms BIGINT NOT NULL,
  not_after_ms BIGINT NOT NULL,
  state TEXT NOT NULL
);
CREATE INDEX certificates_server ON certificates (server);

CREATE TABLE sessions (
  id @KEY,
  server TEXT NOT NULL,
  peer_addr TEXT NOT NULL,
  agent_version TEXT NOT NULL,
  opened_at_ms BIGINT NOT NULL,
  closed_at_ms BIGINT,
  reason TEXT
);
CREATE INDEX sessions_server ON sessions (server, id);
CREATE INDEX sessions_open ON sessions (closed_at_ms);

CREATE TABLE audit (
  id @KEY,
  at_ms BIGINT NOT NULL,
  changed_by TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
);
