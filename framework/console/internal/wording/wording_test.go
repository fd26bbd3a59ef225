package wording_test

import (
	"testing"

	"trestle.example/framework/console/internal/wording"
)

// TestLabel: a name of JSON becomes the words that people read.
func TestLabel(t *testing.T) {
	for name, want := range map[string]string{
		"created_at": "Created at", "createdAt": "Created at", "patient_id": "Patient", "id": "ID",
		"imageURL": "Image URL", "imageUrl": "Image URL", "image_url": "Image URL", "sku": "SKU", "ip": "IP",
		"ship": "Ship", "skunk_urls": "Skunk urls", "appointments/calendar": "Appointments calendar", "": "",
	} {
		if got := wording.Label(name); got != want {
			t.Errorf("the label of %q is %q; want %q", name, got, want)
		}
	}
}
