{{if postgres}}
ALTER TABLE idempotency_keys ALTER COLUMN caller TYPE text COLLATE "C" USING caller::text;
{{end}}
