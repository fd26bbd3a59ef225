package main

import (
	"strings"
	"testing"

	"trestle.example/framework/auth"
)

func TestJWTKeygen(t *testing.T) {
	t.Parallel()
	// Neither settings nor a database: these are all wrong.
	r := newRig(t, "mysql://app:hidden@host/db", "TRESTLE_PAGE_SIZE=many", "TRESTLE_LOG=loud")
	ring := ""
	for _, test := range []struct{ flags, algorithm string }{
		{"", "EdDSA"}, {"--alg EdDSA", "EdDSA"}, {"--alg HS256", "HS256"}, {"--alg RS256", "RS256"}, {"--kid 2026-11", "EdDSA"}, {"--kid old --alg HS256", "HS256"},
	} {
		got := r.run("jwt keygen " + test.flags)
		got.is(t, exitOK, "is a secret", "Put it first in TRESTLE_JWT_KEYS", "keep the older keys there until their refresh tokens have expired")
		keys, err := auth.ParseKeys(got.stdout)
		if err != nil || strings.Count(got.stdout, "\n") != 1 || !strings.HasSuffix(keys.String(), " ("+test.algorithm+")") || strings.Contains(keys.String(), ",") {
			t.Errorf("%q prints what is read as %v, %v; want one key for %s alone", test.flags, keys, err, test.algorithm)
		}
		if secret := strings.TrimSpace(got.stdout[strings.LastIndex(got.stdout, ":")+1:]); len(secret) < 40 || strings.Contains(got.stderr, secret) {
			t.Errorf("%q shows the key on standard error", test.flags)
		}
		if _, kid, named := strings.Cut(strings.Split(test.flags, " --alg")[0], "--kid "); named && !strings.HasPrefix(got.stdout, kid+":") {
			t.Errorf("%q makes the key %s", test.flags, keys)
		}
		ring = got.stdout + ring
	}
	keys, err := auth.ParseKeys(ring)
	if err != nil || !strings.HasPrefix(keys.String(), "old (HS256), 2026-11 (EdDSA), ") {
		t.Errorf("the keys together are %v, %v; want the newest first", keys, err)
	}
}
