-- Version 3. Keyframes: the folded state now and then, so that an earlier moment is folded from the one before it.

CREATE TABLE keyframes (
  at_ms @KEY,
  through_report BIGINT NOT NULL,
  inventory_version BIGINT NOT NULL,
  started_at_ms BIGINT NOT NULL,
  silent_since_ms BIGINT,
  state @BYTES NOT NULL
);
