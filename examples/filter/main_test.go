package main

import (
	"path/filepath"
	"testing"

	"trestle.example/framework/frameworktest"
)

func TestNear(t *testing.T) {
	handler, err := serve(filepath.Join(t.TempDir(), "shops.db"))
	if err != nil {
		t.Fatal(err)
	}
	client := frameworktest.New(t, handler)
	client.Post("/api/shops/", ShopInput{"MG Road", 12.975, 77.605}).Expect(201)
	client.Post("/api/shops/", ShopInput{"Mysuru", 12.295, 76.639}).Expect(201)

	client.Get("/api/shops/?near=12.97,77.59").Expect(200).Contains("MG Road").Lacks("Mysuru")
	client.Get("/api/shops/?near=here").Expect(400).Fault("near", "invalid_parameter")
}
