-- Version 2. Sessions know the edge that they came through, by its id at the time, and what it said of their client.

ALTER TABLE sessions ADD COLUMN edge TEXT;
ALTER TABLE sessions ADD COLUMN claimed_addr TEXT;
