// Package declare has declarations as plain data, without type parameters.
package declare
