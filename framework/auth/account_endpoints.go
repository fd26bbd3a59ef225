package auth

import (
	"net/http"

	"trestle.example/framework"
)

// accountCodes explain the errors of the endpoints that are switched on.
func (s *Service) accountCodes() (codes []framework.CodeInfo) {
	if s.account.Reset || s.account.Verify {
		codes = append(codes, framework.CodeInfo{
			Code: CodeInvalidLink, Status: http.StatusBadRequest, Title: "The token of the mail is not valid",
			Text: "The token is unknown, was used, has expired, or was replaced by a later mail. A change of the password or of the e-mail address ends it too. Request another mail.",
		})
	}
	if s.account.Change || s.account.Delete {
		codes = append(codes,
			framework.CodeInfo{Code: "wrong_password", Text: "It is not the password of the account."},
			framework.CodeInfo{Code: "unchanged", Text: "It is the value that the account has already."},
		)
	}
	return codes
}

// accountActions returns the endpoints that are switched on.
func (s *Service) accountActions() (actions []framework.CollectionAction) {
	if s.account.Change {
		actions = append(actions, s.changeActions()...)
	}
	if s.account.LogoutEverywhere {
		actions = append(actions, ownAction(s, http.MethodPost, "logout/everywhere", s.logoutEverywhere).ID("logoutEverywhere").
			Doc("Revoke all tokens, sessions and JWT logins of the account, those of the request too."))
	}
	if s.account.Delete {
		actions = append(actions, ownAction(s, http.MethodDelete, "me", s.deleteAccount).ID("deleteOwnAccount").
			Refuses(framework.CodeReferenced, framework.CodeConflict, framework.CodeThrottled).
			Doc("Delete the own account and all its credentials. Records of other resources that refer to it may prevent that."))
	}
	if s.account.Reset {
		actions = append(actions, s.resetActions()...)
	}
	if s.account.Verify {
		actions = append(actions, s.verifyActions()...)
	}
	return actions
}

// ownAction returns an action for an authenticated caller on the own account. The framework
// opens no transaction, because the functions hash passwords or open their own.
func ownAction[In, Out any](s *Service, method, name string, fn func(*framework.Call, In) (Out, error)) framework.CollectionAction {
	return framework.OnCollection(method, name, fn).Permit(framework.Authenticated()).Untransacted().Sends(s.limits.login.Sends()...)
}

func (s *Service) changeActions() []framework.CollectionAction {
	email := ownAction(s, http.MethodPost, "email", s.changeEmail).
		Doc("Change the e-mail address at once. The old address gets a mail, if the service sends mails.")
	if s.account.Verify {
		email = ownAction(s, http.MethodPost, "email", s.requestEmail).Answers(http.StatusAccepted).
			Doc("Request another e-mail address: the new address gets a mail with a token, and takes effect with POST {prefix}/auth/email/verify. The old address gets a mail too.")
	}
	return []framework.CollectionAction{
		s.profile.changeAction(s),
		ownAction(s, http.MethodPost, "password", s.changePassword).ID("changeOwnPassword").Refuses(framework.CodeConflict, framework.CodeThrottled).
			Doc("Change the own password. All other credentials of the account end; that of the request stays."),
		email.ID("changeOwnEmail").Refuses(CodeEmailTaken, framework.CodeConflict, framework.CodeThrottled),
	}
}

func (s *Service) resetActions() []framework.CollectionAction {
	return []framework.CollectionAction{
		publicAction(s, "password/reset", s.requestReset).ID("requestPasswordReset").Throttle().Answers(http.StatusAccepted).
			Sends(s.limits.mail.Sends()...).
			Doc("Request a mail with a token that sets a new password. The answer is the same for every address, with an account or without one."),
		publicAction(s, "password/reset/confirm", s.confirmReset).ID("confirmPasswordReset").Throttle().Refuses(CodeInvalidLink).
			Doc("Set a new password with the token of a mail. All credentials of the account end; sign in with the new password."),
	}
}

func (s *Service) verifyActions() []framework.CollectionAction {
	return []framework.CollectionAction{
		publicAction(s, "email/verify", s.verifyEmail).ID("verifyEmail").Throttle().Refuses(CodeInvalidLink, CodeEmailTaken).
			Doc("Confirm an e-mail address with the token of a mail. A new address takes effect."),
		ownAction(s, http.MethodPost, "email/verification", s.requestVerification).ID("requestEmailVerification").Answers(http.StatusAccepted).
			Refuses(framework.CodeThrottled).
			Doc("Request another mail with a token for the own e-mail address. If the address is verified already, no mail is sent."),
	}
}
