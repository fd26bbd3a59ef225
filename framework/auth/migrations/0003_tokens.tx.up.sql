CREATE TABLE auth_tokens (
	{{id}},
	user_id {{uuid}} NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
	name {{text}} NOT NULL,
	key_hash {{bytes}} NOT NULL UNIQUE,
	prefix {{text}} NOT NULL,
	created_at {{timestamp}} NOT NULL,
	expires_at {{timestamp}},
	last_used_at {{timestamp}}
);

--bun:split

CREATE INDEX auth_tokens_user_id ON auth_tokens (user_id);
