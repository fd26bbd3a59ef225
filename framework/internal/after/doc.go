// Package after runs functions after the commit of a transaction, beside the requests.
package after
