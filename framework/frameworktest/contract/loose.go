package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// rejectedInput are the codes with which a server rejects input as invalid. If the
// document is as strict as the server, valid requests never get them.
var rejectedInput = []string{"validation_failed", "invalid_parameter"}

// rejectedBody are the codes with which a server rejects a body.
var rejectedBody = []string{"validation_failed", "unknown_field"}

// inexpressible reports whether no schema can express the rule of a fault: a row does not exist, a
// password is not that of the account, or two items of a list have one value of a member.
func inexpressible(at, code string) bool {
	return code == "invalid_reference" || code == "wrong_password" || code == "unique" && strings.Contains(at, "/*/")
}

// looseFaults returns the faults of an error that the document should express, each with its
// code: "/name: max".
func looseFaults(status int, body []byte, codes []string) (found []string) {
	var said struct {
		Code   string `json:"code"`
		Errors []struct {
			Pointer   string `json:"pointer"`
			Parameter string `json:"parameter"`
			Code      string `json:"code"`
		} `json:"errors"`
	}
	if status != http.StatusBadRequest || json.Unmarshal(body, &said) != nil || !slices.Contains(codes, said.Code) {
		return nil
	}
	for _, f := range said.Errors {
		if at := anyIndex(f.Pointer); !inexpressible(at, f.Code) {
			found = append(found, at+f.Parameter+": "+f.Code)
		}
	}
	if len(said.Errors) == 0 {
		found = []string{said.Code}
	}
	return found
}

// anyIndex replaces the indexes of a JSON Pointer by "*".
func anyIndex(at string) string {
	names := strings.Split(at, "/")
	for i, name := range names {
		if name != "" && strings.Trim(name, "0123456789") == "" {
			names[i] = "*"
		}
	}
	return strings.Join(names, "/")
}

// reportLoose fails the test for each fault for which valid requests were rejected, unless it
// is unsaid.
func (a *attacker) reportLoose(tb testing.TB) {
	tb.Helper()
	for _, id := range slices.Sorted(maps.Keys(a.tally.Loose)) {
		for _, fault := range slices.Sorted(maps.Keys(a.tally.Loose[id])) {
			if !a.isUnsaid(id, fault) {
				tb.Errorf("seed %d: %s rejects valid requests, %d times: %s; the document is too loose\n%s",
					a.Seed, id, a.tally.Loose[id][fault], fault, a.examples[id+fault])
			}
		}
	}
}

func (a *attacker) isUnsaid(id, fault string) bool { return isUnsaid(a.Unsaid, id, fault) }

// isUnsaid reports whether [Attack.Unsaid] lists a fault of an operation.
func isUnsaid(unsaid map[string][]string, id, fault string) bool {
	_, code, _ := strings.Cut(fault, ": ")
	return slices.ContainsFunc(append(slices.Clip(unsaid[id]), unsaid[""]...), func(known string) bool { return known == fault || known == code })
}

// Tight makes [Contract.Wrap] check rejected bodies too. If the server rejects members of a
// body with validation_failed or unknown_field, the schema of the body must reject it as well.
// List faults that no schema can express, such as a rule about stored data, in unsaid, as
// in [Attack.Unsaid]. Call it before the contract is used. It returns the contract.
func (c *Contract) Tight(unsaid map[string][]string) *Contract {
	c.tight, c.unsaid = true, unsaid
	return c
}

// checkRejection checks that the schema of a body rejects what the server rejects.
func (v *verdict) checkRejection(o *operation) {
	faults := slices.DeleteFunc(looseFaults(v.x.status, v.x.body, rejectedBody), func(fault string) bool { return isUnsaid(v.contract.unsaid, o.id, fault) })
	if !v.contract.tight || o.body == "" || len(faults) == 0 || !strings.HasPrefix(faults[0], "/") {
		return
	}
	sent := v.x.plain()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(sent))
	if err != nil || len(v.faults(requestSchemas, o.body, value)) > 0 {
		return
	}
	v.reportf(o.body, sent, "the schema accepts the body, which the server rejects for %s", strings.Join(faults, ", "))
}

// countLoose counts the faults for which a valid request was rejected.
func (a *attacker) countLoose(d *draft, status int, body []byte) {
	for _, fault := range looseFaults(status, body, rejectedInput) {
		id := d.operation.id
		if a.tally.Loose[id] == nil {
			a.tally.Loose[id] = map[string]int{}
		}
		a.tally.Loose[id][fault]++
		a.examples[id+fault] = fmt.Sprintf("%s\n%.1000s", d, body)
	}
}
