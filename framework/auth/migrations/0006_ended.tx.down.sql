DROP INDEX auth_sessions_last_seen_at;

--bun:split

DROP INDEX auth_jwt_families_expires_at;

--bun:split

DROP INDEX auth_tokens_expires_at;
