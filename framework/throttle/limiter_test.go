package throttle

import (
	"net/netip"
	"testing"
	"time"

	"trestle.example/framework"
)

func TestPartsOfAKeyDoNotRunTogether(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	l := New(new(Memory), "login", Rate{1, time.Minute})
	for _, parts := range [][]string{
		nil, {""}, {"", ""}, {"a"}, {"a b"}, {"a", "b"}, {"b", "a"}, {"a 1:b"}, {"1:a"}, {"a", ""}, {"", "a"}, {"a b", ""}, {"a", " b"},
	} {
		key := l.key(parts)
		if before, twice := seen[key]; twice {
			t.Errorf("%q and %q have the same key", before, parts)
		}
		seen[key] = parts
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"198.51.100.7":        "198.51.100.7",
		"::ffff:198.51.100.7": "198.51.100.7",
		"2001:db8:1:2:3::4":   "2001:db8:1::/56",
		"fe80::1%eth0":        "fe80::/56",
		"::1":                 "::/56",
	} {
		if got := Address(&framework.Call{Address: netip.MustParseAddr(at)}); got != want {
			t.Errorf("Address of %s is %q; want %q", at, got, want)
		}
	}
	if got := Address(&framework.Call{}); got != "invalid IP" { // all connections without an address together
		t.Errorf("Address without an address is %q", got)
	}
}
