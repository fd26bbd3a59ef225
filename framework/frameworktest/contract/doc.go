// Package contract checks the traffic of a test server against the OpenAPI document of
// the API, and generates traffic from the document.
//
//	document, err := api.Document("json")
//	...
//	promised, err := contract.New(document)
//	...
//	c := frameworktest.New(t, promised.Wrap(t, handler))
//
// For every request of the tests, the document must describe the answer: path and method,
// status, media type, headers, every member of the body, and the code of an error. If a
// request succeeds, the document must allow it. Otherwise the test fails with a sentence
// that names the operation and the place in the document.
//
// In the document objects are open, because clients must accept members that are added
// later. The contract closes them, so that no answer has an undescribed member.
//
// A server may accept more than the schemas of its document state. The document explains
// this in words, and the contract has the same rules: see [Contract.Wrap].
//
// An [Attack] generates requests from the document, valid and invalid ones:
//
//	contract.Attack{Contract: promised, URL: c.URL(), Seed: 1, Requests: 500}.Run(t)
//
// Give the API a framework.Config.Log that discards; otherwise one line for each request
// hides the findings.
package contract
