// Package declare has declarations as plain data, without type parameters. Package framework
// makes them from its generic types.
package declare
