package sqldb

import "trestle.example/framework/sqldb/internal/address"

// CheckURL returns the error with which [Open] rejects a URL, nil for a right one. It makes
// and opens no database and connects to nothing. It reads the certificates that a
// PostgreSQL URL names. It does not check whether the URL has a setting that
// [Options.NoPrepare] forbids. It is safe for concurrent use.
func CheckURL(url string) error { return address.Check(url) }

// CheckReplicaURL returns an error if [Open] would reject the URL of a replica, nil for a right
// one. The URL must name a PostgreSQL server, and [CheckURL] must accept it.
func CheckReplicaURL(raw string) error { return address.CheckReplica(raw) }

// ClientURL returns the URL of a PostgreSQL database for PostgreSQL's own programs,
// such as pg_dump, "" for any other URL. It omits the password: the programs ask for it or
// take it from PGPASSWORD. It omits the settings of sessions, which the programs do not
// know. It is as strict about TLS as [Open].
func ClientURL(raw string) string { return address.Client(raw) }

// File returns the path of the database that a URL names. It returns "" for a database
// on a server, and for a URL that [CheckURL] rejects. It touches no file.
func File(raw string) string { return address.File(raw) }

// A Link is the way from the program to its database, as the URL describes it. Local:
// the connection does not leave this machine. Encrypted: it uses TLS. Verified: the server's
// certificate is checked. If the URL names several hosts, the least safe one counts.
type Link = address.Link

// Link returns how the program reaches the database. For SQLite, and for a database of [Wrap],
// whose URL is not known, only Local is true.
func (db *DB) Link() Link {
	if db.server == nil {
		return Link{Local: true}
	}
	return db.server.Link()
}

// LeadsAnywhere reports whether the URL names several servers and does not name which of
// them to use, so that a connection may lead to a standby. It returns false for a database of
// [Wrap], whose URL is not known.
func (db *DB) LeadsAnywhere() bool { return db.server != nil && db.server.LeadsAnywhere() }
