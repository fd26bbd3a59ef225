DROP INDEX auth_sessions_created_at;
