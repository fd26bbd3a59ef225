package main

import (
	"encoding/json"
	"errors"
	"testing"

	"trestle.example/framework"
)

func TestFeesAreReadAndWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`250`: `"250.00"`, `"250"`: `"250.00"`, `99.5`: `"99.50"`, `"0.01"`: `"0.01"`, `-0.5`: `"-0.50"`, `"-12.34"`: `"-12.34"`,
		`0`: `"0.00"`, `"-0"`: `"0.00"`, `"007.1"`: `"7.10"`, `999999.99`: `"999999.99"`,
	} {
		var fee Fee
		if err := json.Unmarshal([]byte(text), &fee); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := json.Marshal(fee); string(got) != want || err != nil {
			t.Errorf("%s is written as %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestWrongFees(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`"1.234"`, `1e3`, `"free"`, `""`, `"1."`, `".5"`, `"1 000"`, `"+1"`, `true`, `"NaN"`, `1000000`, `"-1000000.00"`, `99999999999999999999`} {
		fee := Fee("7.00")
		var valueError framework.ValueError
		if err := json.Unmarshal([]byte(text), &fee); !errors.As(err, &valueError) || fee != "7.00" {
			t.Errorf("%s is read as %s, with the error %v; want a ValueError", text, fee, err)
		}
	}
}
