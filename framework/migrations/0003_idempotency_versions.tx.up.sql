ALTER TABLE idempotency_keys ADD COLUMN version {{text}} NOT NULL DEFAULT '';
