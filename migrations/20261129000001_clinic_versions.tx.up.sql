-- How often a row has changed, so that no client overwrites a change that it has not seen.
ALTER TABLE patients ADD COLUMN version {{bigint}} NOT NULL DEFAULT 0;
ALTER TABLE appointments ADD COLUMN version {{bigint}} NOT NULL DEFAULT 0;
