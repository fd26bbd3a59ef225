package redisthrottle

import "context"

// Ping asks Redis whether it is there, and waits for its answer no longer than
// Options say. It counts nothing. The error holds no password.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.client.Ping(ctx).Err()
}
