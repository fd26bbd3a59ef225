package main

import (
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/tool"
)

// project is a file of the project, from its root.
func project(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// ourVariable is a name that looks like a setting.
var ourVariable = regexp.MustCompile(`\b(?:TRESTLE|OTEL)_[A-Z_]*[A-Z]\b|\b(?:DATABASE|REDIS)_(?:[A-Z]+_)?URL\b`)

// ofOthers are variables that tests and make read, or a package that is used.
var ofOthers = []string{proving.Variable, "TRESTLE_FAIR", "OTEL_EXPORTER_OTLP_HEADERS"}

// A deployment sets no variable that the program does not read.
func TestDeploymentsNameKnownSettings(t *testing.T) {
	t.Parallel()
	known := slices.Concat(variableNames(t), ofOthers)
	for _, file := range slices.Concat(documents(t), []string{
		"Dockerfile", "compose.yaml", "deploy/Caddyfile", "deploy/alerts.yaml", "deploy/haproxy.cfg", "deploy/nginx.conf", "deploy/patroni.md", "deploy/pgbouncer.ini", "deploy/trestle.service", "README.md", "CONTRIBUTING.md", "SECURITY.md",
	}) {
		for _, name := range ourVariable.FindAllString(project(t, file), -1) {
			if !slices.Contains(known, name) {
				t.Errorf("%s names %s, which is no setting", file, name)
			}
		}
	}
}

// variableNames are those that the program reads.
func variableNames(t *testing.T) []string {
	t.Helper()
	return append(slices.Collect(maps.Keys(newRig(t, sqliteURL(t)).configured(exitOK, ""))), "TRESTLE_PASSWORD")
}

// documents are the pages below docs.
func documents(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "*/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "docs", filepath.FromSlash(pattern)))
		if err != nil || len(found) < 3 {
			t.Fatalf("docs has the pages %v: %v", found, err)
		}
		for _, file := range found {
			files = append(files, strings.TrimPrefix(filepath.ToSlash(file), "../../"))
		}
	}
	return files
}

// TestSettingsAreDocumented: each setting has one row, with its variable and its flag.
func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	want := []string{"| `TRESTLE_PASSWORD` | none |", "| `OTEL_EXPORTER_OTLP_HEADERS` | none |"} // no settings, and not shown
	for _, s := range newRig(t, sqliteURL(t)).configured(exitOK, "") {
		flag := "none"
		if s.Flag != "" {
			flag = "`" + s.Flag + "`"
		}
		want = append(want, "| `"+s.Setting+"` | "+flag+" |")
	}
	sameRows(t, "docs/reference/settings.md", "(?m)^\\| `[A-Z_]+` \\| [^|]+ \\|", want)
}

// TestCommandsAreDocumented: each command has one row, and pages name no other command.
func TestCommandsAreDocumented(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	top := subcommands(r, "")
	var want []string
	for _, command := range top {
		below := subcommands(r, command)
		if len(below) == 0 {
			want = append(want, "| `trestle "+command+"` |")
		}
		for _, sub := range below {
			want = append(want, "| `trestle "+command+" "+sub+"` |")
		}
	}
	sameRows(t, "docs/reference/commands.md", "(?m)^\\| `trestle [^`]+` \\|", want)
	for _, file := range append(documents(t), "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		for _, words := range regexp.MustCompile("(?m)(?:`|^)trestle ([a-z-]+)").FindAllStringSubmatch(project(t, file), -1) {
			if !slices.Contains(top, words[1]) {
				t.Errorf("%s names the command %q, which does not exist", file, words[0])
			}
		}
	}
}

// subcommands are the commands that the help of a command lists.
func subcommands(r *rig, command string) (names []string) {
	r.t.Helper()
	_, list, _ := strings.Cut(r.ok(command+" --help"), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); name != "help" {
			names = append(names, name)
		}
	}
	return names
}

// sameRows compares the rows of a page that match a pattern with those that the
// program has.
func sameRows(t *testing.T, page, pattern string, want []string) {
	t.Helper()
	have := regexp.MustCompile(pattern).FindAllString(project(t, page), -1)
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("%s: rows\n%s\nwant\n%s", page, strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// A composition is the part of compose.yaml that the test checks.
type composition struct {
	Services map[string]struct {
		Image       string
		Build       string
		Environment map[string]string
		Networks    any
		Volumes     []string
		Stop        string   `yaml:"stop_grace_period"`
		Security    []string `yaml:"security_opt"`
	}
	Networks map[string]struct {
		IPAM struct {
			Config []struct {
				Subnet, Gateway string
				Range           string `yaml:"ip_range"`
			}
		} `yaml:"ipam"`
	}
	Volumes map[string]any
}

func TestCompose(t *testing.T) {
	t.Parallel()
	var all composition
	if err := yaml.Unmarshal([]byte(project(t, "compose.yaml")), &all); err != nil {
		t.Fatal(err)
	}
	ours := 0
	for name, service := range all.Services {
		if service.Build == "" {
			if !regexp.MustCompile(`^[a-z]+:\d+(\.\d+)+$`).MatchString(service.Image) {
				t.Errorf("%s runs %q, which is not pinned to a version", name, service.Image)
			}
			continue
		}
		ours++
		env := map[string]string{}
		for variable, value := range service.Environment {
			if !slices.Contains(variableNames(t), variable) {
				t.Errorf("%s sets %s, which is no setting", name, variable)
			}
			env[variable] = filledIn(value)
		}
		serverIsRight(t, name, env)
		if stop, err := time.ParseDuration(service.Stop); err != nil || stop <= longestStop {
			t.Errorf("%s is killed after %q; want longer than %s", name, service.Stop, longestStop)
		}
		if !slices.Contains(service.Security, "no-new-privileges:true") {
			t.Errorf("%s may gain privileges", name)
		}
		if proxy := project(t, "deploy/Caddyfile"); !strings.Contains(proxy, name+":8080") {
			t.Errorf("the proxy sends nothing to %s", name)
		}
	}
	if ours != 2 {
		t.Errorf("%d servers; want two", ours)
	}
	theProxyKeepsItsAddress(t, all)
}

// theProxyKeepsItsAddress: its address is one of the network that no other container gets,
// and the one that the servers trust.
func theProxyKeepsItsAddress(t *testing.T, all composition) {
	t.Helper()
	network := all.Networks["front"].IPAM.Config[0]
	address := netip.MustParseAddr(all.Services["server1"].Environment["TRESTLE_TRUSTED_PROXIES"])
	if !netip.MustParsePrefix(network.Subnet).Contains(address) || netip.MustParsePrefix(network.Range).Contains(address) || network.Gateway == address.String() {
		t.Errorf("the proxy's address %s is not one that is kept for it: %+v", address, network)
	}
	if !strings.Contains(project(t, "compose.yaml"), "front: {ipv4_address: "+address.String()+"}") {
		t.Errorf("the proxy does not have the address %s, which is trusted", address)
	}
}

// A mail server and a sender, which a server in production needs. Nothing listens there.
const (
	aMailServer = "smtp://127.0.0.1:1?tls=off"
	aSender     = "trestle@example.org"
)

// filledIn is a value of compose.yaml with its variables replaced.
func filledIn(value string) string {
	value = regexp.MustCompile(`\$\{TRESTLE_JWT_KEYS:[^}]*\}`).ReplaceAllString(value, "a:HS256:MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=")
	value = regexp.MustCompile(`\$\{TRESTLE_SMTP_URL:[^}]*\}`).ReplaceAllString(value, aMailServer)
	value = regexp.MustCompile(`\$\{TRESTLE_MAIL_FROM:[^}]*\}`).ReplaceAllString(value, aSender)
	value = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]*)\}`).ReplaceAllString(value, "$1")
	return regexp.MustCompile(`\$\{[A-Z_]+:\?[^}]*\}`).ReplaceAllString(value, "secret")
}

// serverIsRight checks the settings of a deployment by the command check.
func serverIsRight(t *testing.T, name string, env map[string]string) {
	t.Helper()
	r := &rig{t: t}
	for variable, value := range env {
		r.env = append(r.env, variable+"="+value)
	}
	if got := r.run("check"); got.code != exitOK || got.stderr != "" {
		t.Errorf("check of %s ends with %d: %s", name, got.code, got.stderr)
	}
}

// longestStop is how long a server in production takes to stop, at most.
// TestTheTimeToStop of package program checks it.
const longestStop = 33 * time.Second

func TestDockerfile(t *testing.T) {
	t.Parallel()
	file := project(t, "Dockerfile")
	image := regexp.MustCompile(`FROM golang:(1\.\d+)\.(\d+)-`).FindStringSubmatch(file)
	module := regexp.MustCompile(`(?m)^go (1\.\d+)\.(\d+)$`).FindStringSubmatch(project(t, "go.mod"))
	if image == nil || module == nil || image[1] != module[1] || digits(t, image[2]) < digits(t, module[2]) {
		t.Errorf("the Dockerfile builds with Go %q; want the version of go.mod, %q, or a newer patch of it", image, module)
	}
	for _, line := range []string{
		"FROM scratch", "USER 10001:10001", `HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/trestle", "health"]`,
		"CGO_ENABLED=0 go build -trimpath -buildvcs=false ", "VOLUME /data",
	} {
		if !strings.Contains(file, line) {
			t.Errorf("the Dockerfile lacks %q", line)
		}
	}
	env := map[string]string{"TRESTLE_JWT_KEYS": filledIn("${TRESTLE_JWT_KEYS:?}"), "TRESTLE_PUBLIC_URL": "https://a.example", "TRESTLE_SMTP_URL": aMailServer, "TRESTLE_MAIL_FROM": aSender}
	for _, pair := range regexp.MustCompile(`(?m)^(?:ENV)?\s+([A-Z_]+)=(\S+)`).FindAllStringSubmatch(file, -1) {
		if pair[1] != "ZONEINFO" {
			env[pair[1]] = pair[2]
		}
	}
	if len(env) < 5 {
		t.Errorf("the Dockerfile's environment is read as %v", env)
	}
	serverIsRight(t, "the image", env)
}

func TestUnit(t *testing.T) {
	t.Parallel()
	unit := project(t, "deploy/trestle.service")
	env := map[string]string{"TRESTLE_JWT_KEYS": filledIn("${TRESTLE_JWT_KEYS:?}"), "TRESTLE_PUBLIC_URL": "https://a.example", "TRESTLE_SMTP_URL": aMailServer, "TRESTLE_MAIL_FROM": aSender}
	for _, pair := range regexp.MustCompile(`(?m)^Environment=([A-Z_]+)=(\S+)$`).FindAllStringSubmatch(unit, -1) {
		env[pair[1]] = pair[2]
	}
	serverIsRight(t, "the unit", env)
	stop := regexp.MustCompile(`(?m)^TimeoutStopSec=(\d+)$`).FindStringSubmatch(unit)
	if stop == nil || time.Duration(digits(t, stop[1]))*time.Second <= longestStop {
		t.Errorf("the unit kills after %q; want longer than %s", stop, longestStop)
	}
	for _, line := range []string{"Type=exec", "DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet=\n", "RestartPreventExitStatus=3\n", "StartLimitIntervalSec=0\n"} {
		if !strings.Contains(unit, line) {
			t.Errorf("the unit lacks %q", line)
		}
	}
}

func TestUnitAsSystemdReadsIt(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed; the unit was read by TestUnit alone")
	}
	file := filepath.Join(t.TempDir(), "trestle.service")
	unit := strings.ReplaceAll(project(t, "deploy/trestle.service"), "/usr/local/bin/trestle", buildProgram(t))
	putFile(t, file, unit)
	if output, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput(); err != nil || strings.Contains(string(output), "trestle.service") {
		t.Errorf("%v: %s", err, output)
	}
}

func TestProxyAsItReadsItsFile(t *testing.T) {
	t.Parallel()
	caddy, err := tool.Caddy.Path()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(caddy, "validate", "--adapter", "caddyfile", "--config", filepath.Join("..", "..", "deploy", "Caddyfile"))
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}

// What SECURITY.md says is proven is.
func TestSecurityNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	page := project(t, "SECURITY.md")
	there := map[string]bool{}
	root := filepath.Join("..", "..")
	for _, folder := range []string{"framework", "resources", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(content), -1) {
				there[found[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(page, -1)
	if len(named) < 30 {
		t.Errorf("SECURITY.md names %d tests", len(named))
	}
	for _, name := range named {
		if !there[name[1]] {
			t.Errorf("SECURITY.md names %s, which there is not", name[1])
		}
	}
}

// TestDeployFilesBeginWithWhatToChange, in a comment.
func TestDeployFilesBeginWithWhatToChange(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(filepath.Join("..", "..", "deploy"))
	if err != nil || len(files) < 5 {
		t.Fatalf("deploy has %d files: %v", len(files), err)
	}
	for _, file := range files {
		head := strings.Join(strings.SplitN(project(t, "deploy/"+file.Name()), "\n", 12)[:8], "\n")
		if !strings.ContainsAny(head[:1], "#;{") || !strings.Contains(strings.ToLower(head), "change") {
			t.Errorf("deploy/%s does not begin with a comment that states what to change:\n%s", file.Name(), head)
		}
		if !strings.Contains(project(t, "docs/operations.md"), "(../deploy/"+file.Name()+")") {
			t.Errorf("docs/operations.md does not link to deploy/%s", file.Name())
		}
	}
}

// TestPatroniProxy: HAProxy reads the part of deploy/patroni.md that is for it.
func TestPatroniProxy(t *testing.T) {
	t.Parallel()
	_, part, found := strings.Cut(project(t, "deploy/patroni.md"), "```haproxy\n")
	part, _, closed := strings.Cut(part, "```")
	program, err := tool.HAProxy.Path()
	if err != nil || !found || !closed {
		t.Fatal("deploy/patroni.md has no part for HAProxy, or HAProxy is missing: ", err)
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	putFile(t, file, part)
	if output, err := exec.Command(program, "-c", "-f", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}
