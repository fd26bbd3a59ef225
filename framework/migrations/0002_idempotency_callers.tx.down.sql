{{if postgres}}
-- Callers whose ids are not UUIDs have no place in the older table.
DELETE FROM idempotency_keys WHERE caller !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
--bun:split
ALTER TABLE idempotency_keys ALTER COLUMN caller TYPE uuid USING caller::uuid;
{{end}}
