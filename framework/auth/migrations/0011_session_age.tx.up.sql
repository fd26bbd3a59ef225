CREATE INDEX auth_sessions_created_at ON auth_sessions (created_at);
