package prove_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/internal/prove/report"
)

// TestThePage: texts of answers are escaped, and the page praises only a whole proof without findings.
func TestThePage(t *testing.T) {
	t.Parallel()
	finding := framework.ProofFinding{Method: "GET", Path: "/api/<b>/", Caller: "user", What: "<script>alert(1)</script>", Curl: "curl 'http://localhost/?a=1&b=\"2\"'"}
	for name, c := range map[string]struct {
		proof framework.Proof
		has   string
		lacks string
	}{
		"nothing found": {framework.Proof{}, "No caller reached", "Findings"},
		"a finding":     {framework.Proof{Findings: []framework.ProofFinding{finding}}, "&lt;script&gt;", "No caller reached"},
		"many findings": {framework.Proof{Findings: []framework.ProofFinding{{Further: 7}}}, "Further findings of this kind: 7.", "No caller reached"},
		"a gap":         {framework.Proof{Unexercised: []framework.ProofFinding{finding}}, "No finding at the endpoints that were exercised", "No caller reached"},
		"no members":    {framework.Proof{Unshared: []string{"teams", "papers"}}, "No second user saw a row of teams, papers.", "Findings"},
		"a rule":        {framework.Proof{FieldRules: []report.FieldRule{{ViewSet: "walls", Field: "secret", Rule: "sees"}}}, "<td>secret<td>sees", "Findings"},
	} {
		var page strings.Builder
		if err := c.proof.WriteHTML(&page); err != nil || !strings.Contains(page.String(), c.has) || strings.Contains(page.String(), c.lacks) || strings.Contains(page.String(), "<script>") {
			t.Errorf("%s: the page is %s, %v", name, page.String(), err)
		}
	}
}
