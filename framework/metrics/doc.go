// Package metrics counts and measures the requests of an API and the statements of its
// database, for Prometheus.
//
//	m, err := metrics.New(db)
//	api := framework.New(framework.Config{DB: db, Observers: []framework.Observer{m}, ...})
//	// on a listener that only the operator can reach:
//	mux.Handle("GET /metrics", m.Handler())
//
// These are the metrics; durations are in seconds:
//
//	http_requests_total{route,method,status}      requests that have ended
//	http_request_duration_seconds{route,method}   how long they took, a histogram
//	http_requests_in_flight                       requests under way
//	http_request_errors_total{code}               answers from status 500 on, by their code
//	http_requests_shed_total{route}               requests that were answered 503 overloaded
//	db_statement_duration_seconds{kind}           how long statements took (rows read one by one: up to the first), a histogram
//	db_statement_errors_total{fault}              statements that failed
//	db_connections_held                           connections that statements and transactions hold
//	db_connections_waiting                        statements and transactions that wait for a connection
//	db_waits_shed_total                           waits for a connection that ended without one: too long, or too many waited
//	db_connections_limit                          the maximum number of connections of the pool
//	db_queue_timeout_seconds                      how long a request waits for connections at most
//	db_statement_timeout_seconds                  the time limit of a statement
//	go_sql_*{db_name}                             connections of the pool: open, in use, idle
//	go_*, process_*, go_build_info                the runtime, the process, the program
//
// With a replica:
//
//	db_replica_used                               1 while reads go to the replica
//	db_replica_lag_bytes                          log of the primary that the replica has not replayed; absent if unknown
//	db_replica_connections_open                   connections to the replica
//	db_replica_connections_held                   connections to the replica that statements hold
//	db_replica_connections_waiting                statements that wait for a connection to the replica
//
// [Metrics.Add] adds metrics of the server around the API:
//
//	http_connections_open                         connections of clients
//	http_connections_limit                        the maximum number of connections of clients
//	http_connections_evicted_total                connections that were closed to make room for new ones
//	http2_requests_rejected_total                 requests by HTTP/2 that were rejected because there were too many
//	http_request_timeout_seconds                  the time limit of a request
//	redis_degraded                                1 while Redis does not answer
//	tls_certificate_not_after_timestamp_seconds   when the certificate expires
//	db_schema_version{namespace}                  the highest id of an applied migration; absent if none or unknown
//	db_migrations_pending                         migrations that the database lacks; absent if unknown
//	history_held_back_seconds                     the age of the oldest transaction that holds entries back from readers that follow a history
//
// # Labels
//
// Every label has few values, whatever clients send:
//
//   - route is a path as declared, "/api/patients/{id}/", and empty if no endpoint
//     matches;
//   - method is an HTTP method or OTHER;
//   - status is a number: 499 if the client disconnected, and 0 if the connection was
//     aborted;
//   - code is a code that the API lists, or undeclared;
//   - kind is select, insert, update, delete, begin, commit, rollback or other;
//   - fault is a kind of error of package sqldb, or canceled;
//   - namespace is the namespace of a set of migrations.
//
// A label never contains a part of a path, a query, a header, a body or a user.
//
// # Access
//
// The metrics disclose how much a service is used and when it fails. Serve them where
// clients cannot reach them: the handler does not authenticate callers.
package metrics
