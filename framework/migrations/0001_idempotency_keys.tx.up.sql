CREATE TABLE idempotency_keys (
	caller {{uuid}} NOT NULL,
	route {{text}} NOT NULL,
	key {{text}} NOT NULL,
	fingerprint {{bytes}} NOT NULL,
	status {{bigint}} NOT NULL,
	body {{bytes}},
	location {{text}} NOT NULL,
	created_at {{timestamp}} NOT NULL,
	PRIMARY KEY (caller, route, key)
);

--bun:split

CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
