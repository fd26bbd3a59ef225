// Package expression has the language in which clients filter a list: status = "booked" AND (fee >= 500 OR
// NOT patient.city = "Pune"). It reads and writes expressions, finds their fields, and makes conditions of
// statements from them. It knows nothing of requests.
package expression
