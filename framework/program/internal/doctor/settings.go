package doctor

import (
	"context"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/throttle/redisthrottle"
)

// examineSettings looks at what no database is needed for.
func (e *examination) examineSettings(ctx context.Context) {
	e.found("secrets", "", e.secretFindings()...)
	e.found("transport", "", exposed(e.Config)...)
	e.found("hosts", "", hostless(e.Config)...)
	e.found("proxies", "", tooTrusting(e.Config)...)
	if e.RedisURL != "" {
		e.found("redis", "", e.redisAway(ctx)...)
	}
}

// secretFindings are of keys and certificates. What their own readers refuse is
// said as check says it: a key is long enough if it was read at all, and how old
// it is nobody knows.
func (e *examination) secretFindings() (found []Finding) {
	if _, err := e.ReadKeys(); err != nil {
		found = append(found, Finding{problem, e.Text(config.JWTKeysVariable), err.Error(), e.Text(newKey + "; {program} check tells when it is right")})
	} else {
		found = guessable(e.Config)
	}
	if c, err := e.ReadCertificate(e.log); err != nil {
		found = append(found, Finding{problem, e.Text("{PROGRAM}_TLS_CERT"), err.Error(), e.Text("name a certificate and its key; {program} check tells when they are right")})
	} else if c != nil {
		if until, soon := c.EndsSoon(); soon {
			found = append(found, Finding{
				warning, e.Text("{PROGRAM}_TLS_CERT"), "the certificate expires at " + console.Minute(&until) + ", and after that no client trusts this server",
				"renew it; the server takes the new files within a minute",
			})
		}
	}
	if e.TLSKey != "" {
		found = append(found, readableByOthers(e.TLSKey, "whoever has it can pass for this server")...)
	}
	return found
}

// fewestLetters is how many different letters a key of 32 random bytes has in
// base64, less so many that chance never comes so far.
const fewestLetters = 16

// newKey makes a key of JWTs.
const newKey = `{PROGRAM}_JWT_KEYS="$({program} jwt keygen)"`

// guessable are keys of JWTs that were typed and not made.
func guessable(c config.Config) (found []Finding) {
	for entry := range strings.FieldsFuncSeq(c.JWTKeys.Reveal(), func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		kid, rest, _ := strings.Cut(entry, ":")
		algorithm, key, _ := strings.Cut(rest, ":")
		if algorithm != auth.HS256 || strings.HasPrefix(key, "@") || lettersIn(key) >= fewestLetters {
			continue
		}
		found = append(found, Finding{
			problem, c.Program.Text(config.JWTKeysVariable), "the key " + kid + " repeats itself, so it is likely no random one, and whoever guesses it can sign in as anybody",
			c.Program.Text(newKey),
		})
	}
	return found
}

// lettersIn counts the different letters of a text.
func lettersIn(text string) int {
	letters := map[rune]bool{}
	for _, r := range text {
		letters[r] = true
	}
	return len(letters)
}

// readableByOthers is a finding about a file whose mode lets everybody on the
// machine read or write it. Windows has no such modes.
func readableByOthers(path, why string) []Finding {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o006 == 0 || runtime.GOOS == "windows" {
		return nil
	}
	return []Finding{{problem, path, "every user of this machine can open it (" + info.Mode().Perm().String() + "), and " + why, "chmod o-rwx " + path}}
}

// exposed is what is wrong with the way by which requests come.
func exposed(c config.Config) []Finding {
	host, _, _ := net.SplitHostPort(c.Addr)
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case c.HasTLS():
		return nil
	case c.Production && len(c.TrustedProxies) == 0:
		return []Finding{{
			problem, c.Program.Text("{PROGRAM}_TLS_CERT"), "nobody can sign in: in production credentials need TLS",
			c.Program.Text("set {PROGRAM}_TLS_CERT and {PROGRAM}_TLS_KEY, or put a proxy that speaks TLS before the server and name it by {PROGRAM}_TRUSTED_PROXIES"),
		}}
	case !c.Production && !local:
		return []Finding{{
			warning, c.Program.Text("{PROGRAM}_ADDR"), "other machines can reach " + c.Addr + ", and passwords and tokens cross the network in the clear",
			c.Program.Text("set {PROGRAM}_TLS_CERT and {PROGRAM}_TLS_KEY, or put a proxy that speaks TLS before it and set {PROGRAM}_ENV=production, or listen on 127.0.0.1"),
		}}
	}
	return nil
}

// hostless is a server in production that believes any Host.
func hostless(c config.Config) []Finding {
	if !c.Production || c.PublicURL != "" || len(c.Hosts) > 0 {
		return nil
	}
	return []Finding{{
		problem, c.Program.Text("{PROGRAM}_HOSTS"), "the server does not start: in production it has to know its names, or links in answers would lead wherever a request's Host says",
		c.Program.Text("set {PROGRAM}_PUBLIC_URL or {PROGRAM}_HOSTS"),
	}}
}

// Networks of proxies are at most as wide as the widest private ones, 10.0.0.0/8
// and fc00::/7.
const (
	widestIPv4 = 8
	widestIPv6 = 7
)

// tooTrusting are proxies that are no few machines of one's own.
func tooTrusting(c config.Config) (found []Finding) {
	for _, network := range c.TrustedProxies {
		if wide(network) {
			found = append(found, Finding{
				problem, c.Program.Text("{PROGRAM}_TRUSTED_PROXIES"), network.String() + " is more than any private network: whoever is in it can say where it comes from, and that it spoke TLS",
				"name the addresses of the proxies, or the private network that they are in",
			})
		}
	}
	return found
}

func wide(network netip.Prefix) bool {
	if network.Addr().Is4() {
		return network.Bits() < widestIPv4
	}
	return network.Bits() < widestIPv6
}

// redisPatience is how long Redis may take to answer: longer than a request
// waits for it, so that a busy machine is no finding.
const redisPatience = 5 * time.Second

func (e *examination) redisAway(ctx context.Context) []Finding {
	store, err := redisthrottle.Open(e.RedisURL, redisthrottle.Options{Timeout: redisPatience, Log: e.log})
	if err == nil {
		defer func() { _ = store.Close() }()
		err = store.Ping(ctx)
	}
	if err == nil {
		return nil
	}
	return []Finding{{
		problem, "REDIS_URL", "Redis does not answer, and each server counts by itself: " + err.Error(),
		"start it, set REDIS_URL right, or leave REDIS_URL out if there is one server",
	}}
}

// WarnOfSettings logs what is likely a mistake in how the server is set up.
func WarnOfSettings(s *site.Site) {
	for _, f := range slices.Concat(exposed(s.Config), hostless(s.Config)) {
		s.Log.Warn(f.What + "; " + f.Fix)
	}
}
