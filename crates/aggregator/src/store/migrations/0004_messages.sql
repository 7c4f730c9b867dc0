-- Version 4. Where people are told, what they were told, and what is on its way to them.

INSERT INTO counters (name, value) VALUES ('delivery', 0), ('channel', 0);

-- `number`: no two channels have the same, also when one takes the name of one that is gone.
-- `settled`: the channel's beginning is over, and what is new since is told. `through_event`: up to which event it looked.
CREATE TABLE channels (
  id TEXT PRIMARY KEY,
  number BIGINT NOT NULL,
  settings TEXT NOT NULL,
  settled BIGINT NOT NULL,
  through_event BIGINT NOT NULL
);

-- What a channel knows of each subject; `silent` is what it was not told.
CREATE TABLE told (
  channel TEXT NOT NULL,
  topic TEXT NOT NULL,
  subject TEXT NOT NULL,
  word TEXT NOT NULL,
  severity TEXT NOT NULL,
  silent BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  since_ms BIGINT NOT NULL,
  item TEXT NOT NULL,
  PRIMARY KEY (channel, topic, subject)
);

-- Messages: `waiting` until `due_at_ms`, `sent`, or `dead`.
CREATE TABLE deliveries (
  id @KEY,
  name TEXT NOT NULL UNIQUE,
  channel TEXT NOT NULL,
  state TEXT NOT NULL,
  made_at_ms BIGINT NOT NULL,
  due_at_ms BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  ended_at_ms BIGINT,
  said TEXT,
  message TEXT NOT NULL
);
CREATE INDEX deliveries_state ON deliveries (state, channel, id);

CREATE TABLE mutes (
  server TEXT PRIMARY KEY,
  until_ms BIGINT NOT NULL,
  muted_by TEXT NOT NULL,
  reason TEXT NOT NULL
);
