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

// examineSettings makes the checks that need no database.
func (e *examination) examineSettings(ctx context.Context) {
	e.found("secrets", "", e.findSecrets()...)
	e.found("transport", "", findExposed(e.Config)...)
	e.found("hosts", "", findHostless(e.Config)...)
	e.found("proxies", "", findTooTrusting(e.Config)...)
	if e.RedisURL != "" {
		e.found("redis", "", e.findRedisAway(ctx)...)
	}
	e.found("mail", "", e.findMailAway(ctx)...)
}

// mailTimeout is how long the mail server may take to answer.
const mailTimeout = 15 * time.Second

// findMailAway returns a finding if the service sends mails without a mail server, or the mail
// server of the settings cannot be used.
func (e *examination) findMailAway(ctx context.Context) []Finding {
	if err := e.Project.RequireMail(e.Config, e.log); err != nil {
		return []Finding{{
			problem, e.Text("{PROGRAM}_SMTP_URL"), "the server does not start: " + err.Error(), e.Text("set {PROGRAM}_SMTP_URL and {PROGRAM}_MAIL_FROM"),
		}}
	}
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	err := e.CheckMailServer(ctx)
	if err == nil {
		return nil
	}
	return []Finding{{
		problem, e.Text("{PROGRAM}_SMTP_URL"), "no mail can be sent: " + err.Error(),
		e.Text("start the mail server, or set {PROGRAM}_SMTP_URL right: host, port, user, password, and a certificate that this machine trusts"),
	}}
}

// findSecrets returns the findings about keys and certificates. The errors of their
// readers are the same as those of the command check.
func (e *examination) findSecrets() (found []Finding) {
	if _, err := e.ReadKeys(); err != nil {
		found = append(found, Finding{problem, e.Text(config.JWTKeysVariable), err.Error(), e.Text(newKey + "; {program} check reports whether it is right")})
	} else {
		found = findGuessable(e.Config)
	}
	if c, err := e.ReadCertificate(e.log); err != nil {
		found = append(found, Finding{problem, e.Text("{PROGRAM}_TLS_CERT"), err.Error(), e.Text("name a certificate and its key; {program} check reports whether they are right")})
	} else if c != nil {
		if until, soon := c.EndsSoon(); soon {
			found = append(found, Finding{
				warning, e.Text("{PROGRAM}_TLS_CERT"), "the certificate expires at " + console.Minute(&until) + ", and after that no client trusts this server",
				"renew it; the server takes the new files within a minute",
			})
		}
	}
	if e.TLSKey != "" {
		found = append(found, findReadable(e.TLSKey, "a machine that has it can impersonate this server")...)
	}
	return found
}

// fewestLetters is the least number of different characters of a key that counts as random.
// In practice a key of 32 random bytes in base64 has more.
const fewestLetters = 16

// newKey is the command that makes a key of JWTs.
const newKey = `{PROGRAM}_JWT_KEYS="$({program} jwt keygen)"`

// findGuessable returns the findings about HS256 keys with fewer different characters than
// fewestLetters. It does not read keys that are in files.
func findGuessable(c config.Config) (found []Finding) {
	for entry := range strings.FieldsFuncSeq(c.JWTKeys.Reveal(), func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		kid, rest, _ := strings.Cut(entry, ":")
		algorithm, key, _ := strings.Cut(rest, ":")
		if algorithm != auth.HS256 || strings.HasPrefix(key, "@") || countLetters(key) >= fewestLetters {
			continue
		}
		found = append(found, Finding{
			problem, c.Program.Text(config.JWTKeysVariable), "the key " + kid + " repeats itself, so it is probably not random; a client that guesses it can sign in as any user",
			c.Program.Text(newKey),
		})
	}
	return found
}

// countLetters counts the different characters of a text.
func countLetters(text string) int {
	letters := map[rune]bool{}
	for _, r := range text {
		letters[r] = true
	}
	return len(letters)
}

// findReadable returns a finding if every user of the machine can read or write a file. On
// Windows, where files have no such modes, it returns none.
func findReadable(path, why string) []Finding {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o006 == 0 || runtime.GOOS == "windows" {
		return nil
	}
	return []Finding{{problem, path, "every user of this machine can open it (" + info.Mode().Perm().String() + "), and " + why, "chmod o-rwx " + path}}
}

// findExposed returns the findings about requests without TLS.
func findExposed(c config.Config) []Finding {
	host, _, _ := net.SplitHostPort(c.Addr)
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case c.HasTLS():
		return nil
	case c.Production && len(c.TrustedProxies) == 0:
		return []Finding{{
			problem, c.Program.Text("{PROGRAM}_TLS_CERT"), "no user can sign in: in production credentials need TLS",
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

// findHostless returns the finding about a server in production that accepts any Host.
func findHostless(c config.Config) []Finding {
	if !c.Production || c.PublicURL != "" || len(c.Hosts) > 0 {
		return nil
	}
	return []Finding{{
		problem, c.Program.Text("{PROGRAM}_HOSTS"), "the server does not start: in production it has to know its names, or links in answers would lead wherever a request's Host says",
		c.Program.Text("set {PROGRAM}_PUBLIC_URL or {PROGRAM}_HOSTS"),
	}}
}

// widestIPv4 and widestIPv6 are the prefix lengths of the widest private networks, 10.0.0.0/8
// and fc00::/7. A network of proxies should not be wider.
const (
	widestIPv4 = 8
	widestIPv6 = 7
)

// findTooTrusting returns the findings about networks of proxies that are wider than any
// private network.
func findTooTrusting(c config.Config) (found []Finding) {
	for _, network := range c.TrustedProxies {
		if isWide(network) {
			found = append(found, Finding{
				problem, c.Program.Text("{PROGRAM}_TRUSTED_PROXIES"), network.String() + " is wider than any private network: each client in it can choose its own address, and claim to use TLS",
				"name the addresses of the proxies, or the private network that they are in",
			})
		}
	}
	return found
}

func isWide(network netip.Prefix) bool {
	if network.Addr().Is4() {
		return network.Bits() < widestIPv4
	}
	return network.Bits() < widestIPv6
}

// redisPatience is how long Redis may take to answer. It is longer than a request waits,
// so that a busy machine causes no finding.
const redisPatience = 5 * time.Second

func (e *examination) findRedisAway(ctx context.Context) []Finding {
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

// WarnOfSettings logs the findings about requests without TLS and about missing host names.
func WarnOfSettings(s *site.Site) {
	for _, f := range slices.Concat(findExposed(s.Config), findHostless(s.Config)) {
		s.Log.Warn(f.What + "; " + f.Fix)
	}
}
