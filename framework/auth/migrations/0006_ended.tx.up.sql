CREATE INDEX auth_tokens_expires_at ON auth_tokens (expires_at);

--bun:split

CREATE INDEX auth_jwt_families_expires_at ON auth_jwt_families (expires_at);

--bun:split

CREATE INDEX auth_sessions_last_seen_at ON auth_sessions (last_seen_at);
