CREATE TABLE auth_sessions (
	{{id}},
	user_id {{uuid}} NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
	key_hash {{bytes}} NOT NULL UNIQUE,
	created_at {{timestamp}} NOT NULL,
	last_seen_at {{timestamp}} NOT NULL
);

--bun:split

CREATE INDEX auth_sessions_user_id ON auth_sessions (user_id);
