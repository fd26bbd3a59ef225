package redisthrottle

import "context"

// Ping checks whether Redis answers within Options.Timeout. It counts nothing. The error
// contains no password.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.client.Ping(ctx).Err()
}
