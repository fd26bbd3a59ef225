// Package contract holds the traffic of a test server against the API's own
// reference, and makes traffic out of the reference to try it with.
//
//	document, err := api.Document("json")
//	...
//	promised, err := contract.New(document)
//	...
//	c := frameworktest.New(t, promised.Wrap(t, handler))
//
// Whatever the tests then send, each answer must be one that the document
// tells of: its path and method, its status, its media type, its headers, its
// body to the last member, the code of a refusal. A request that succeeds must
// be one that the document allows. What is not so fails the test with a sentence
// that names the operation and the place in the document.
//
// The document leaves objects open for clients, who must bear with members to
// come; here they are closed, so that no answer has a member that nobody
// described.
//
// Where a server takes more than its document says, that is written in the
// document's own words and known here: see [Contract.Wrap].
//
// An [Attack] makes requests of the document, good ones and bad ones:
//
//	contract.Attack{Contract: promised, URL: c.URL(), Seed: 1, Requests: 500}.Run(t)
//
// Give the API a framework.Config.Log that discards: one line for each request
// buries what is found.
package contract
