package sqldb

// sharing turns off, if it is "off", the three ways in which statements of
// different requests run together: shared reads, batched look-ups and batched
// writes. It is no setting: only the linker changes it,
//
//	go build -ldflags "-X trestle.example/framework/sqldb.sharing=off" ./cmd/trestle
//
// so that the benchmark can measure what sharing gains.
var sharing = "on" //nolint:gochecknoglobals // the linker sets it; nothing writes it at run time
