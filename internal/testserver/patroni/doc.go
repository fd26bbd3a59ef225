// Package patroni gives tests a real PostgreSQL with failover: three servers that
// Patroni manages by way of etcd, with synchronous replication. If the leader is
// killed, a standby becomes the leader within a few seconds.
//
// A [Cluster] listens on 127.0.0.1 only. It ends with the process that started it,
// kill -9 included, and needs a Unix-like system with the programs of PostgreSQL,
// Patroni and etcd, see package tool.
package patroni
