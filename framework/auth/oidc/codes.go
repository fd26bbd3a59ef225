package oidc

import (
	"net/http"

	"trestle.example/framework"
)

// The codes of the errors, in addition to auth.CodeEmailTaken and those of the framework.
const (
	CodeState           = "oidc_state_invalid"    // 400
	CodeDenied          = "oidc_denied"           // 403
	CodeEmailUnverified = "oidc_email_unverified" // 403
	CodeNoAccount       = "oidc_no_account"       // 403
	CodeInactive        = "oidc_account_inactive" // 403
	CodeInvalid         = "oidc_answer_invalid"   // 502
	CodeUnavailable     = "oidc_unavailable"      // 503
)

// Codes explain the errors of a sign-in, for framework.Config.Codes.
func Codes() []framework.CodeInfo {
	return []framework.CodeInfo{
		{
			Code: CodeState, Status: http.StatusBadRequest, Title: "The sign-in was not begun in this browser",
			Text: "The sign-in was begun in another browser, more than ten minutes ago, or again since; or it has ended. Begin it again.",
		},
		{
			Code: CodeDenied, Status: http.StatusForbidden, Title: "The identity provider did not sign the person in",
			Text: "The person or the provider stopped the sign-in, or the code that the provider sent is not valid. Begin the sign-in again.",
		},
		{
			Code: CodeEmailUnverified, Status: http.StatusForbidden, Title: "The identity provider states no verified e-mail address",
			Text: "A new account needs an e-mail address that the provider verified. Verify the address at the provider, and sign in again.",
		},
		{
			Code: CodeNoAccount, Status: http.StatusForbidden, Title: "The person has no account",
			Text: "The provider knows the person, but a sign-in creates no account here. The operator of the service can create one.",
		},
		{
			Code: CodeInactive, Status: http.StatusForbidden, Title: "The account is not active",
			Text: "The provider knows the person, but the account here is disabled. The operator of the service can enable it.",
		},
		{
			Code: CodeInvalid, Status: http.StatusBadGateway, Title: "The answer of the identity provider is not valid",
			Text: "A token of the provider failed a check, so nothing was done. The log of the server has the reason.",
		},
		{
			Code: CodeUnavailable, Status: http.StatusServiceUnavailable, Title: "The identity provider does not answer",
			Text: "The server cannot reach the provider. Other ways to sign in work. Wait for Retry-After seconds, and begin again.",
		},
	}
}

// reject returns the error of a code of [Codes]. Its detail never has text of the request.
func reject(code, detail string) *framework.Error {
	for _, info := range Codes() {
		if info.Code == code {
			return framework.Refuse(info.Status, code, detail)
		}
	}
	return framework.Refuse(http.StatusInternalServerError, framework.CodeInternal, detail)
}

func unavailable() *framework.Error {
	e := reject(CodeUnavailable, "The identity provider does not answer; try again later.")
	e.Header = map[string]string{"Retry-After": "5"}
	return e
}
