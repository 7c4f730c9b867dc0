-- Version 3. People sign in with a token and have a cookie of their own; changes are audited with before and after.

CREATE TABLE sign_ins (
  hash @BYTES PRIMARY KEY,
  token TEXT NOT NULL,
  from_addr TEXT NOT NULL,
  opened_at_ms BIGINT NOT NULL,
  used_at_ms BIGINT NOT NULL
);
CREATE INDEX sign_ins_token ON sign_ins (token, used_at_ms);

-- JSON. Absent where there was nothing before, or is nothing after.
ALTER TABLE audit ADD COLUMN before_json TEXT;
ALTER TABLE audit ADD COLUMN after_json TEXT;
