// Package accounts serves the accounts of package auth: viewsets with which administrators manage
// users and groups, and viewsets with which callers see and end their own sign-ins.
//
//	api.Register(identity.ViewSet())
//	api.Register(accounts.Own(identity)...)
//	api.Register(accounts.Administration(api, identity))
//
// A program has them only if it registers them. Every endpoint of the administration needs a
// permission: users.view, users.add, users.change, users.delete, or the same rights of groups. These
// permissions are not enough to get more rights:
//
//   - a caller gives only rights that the caller holds: permissions, groups with their permissions,
//     and being staff;
//   - a caller changes only users and groups all of whose rights the caller holds, because a new
//     password or a new e-mail address of a user is a way to sign in as this user;
//   - only superusers make superusers and change them;
//   - callers do not disable, demote or delete themselves here, nor change their own password or
//     e-mail address: the endpoints of their own account want the current password;
//   - one active superuser always remains.
//
// No answer has a password, a hash or a token. Each change is in the audit log, and changes of users
// and names of groups are in their history.
package accounts
