package smtp_test

import (
	"fmt"

	"trestle.example/framework/mail/smtp"
)

// A mail server without TLS is accepted only on this machine.
func ExampleOpen() {
	_, err := smtp.Open("smtp://shop:secret@mail.example.org:587", smtp.Options{From: "Shop <shop@example.org>"})
	fmt.Println(err)
	_, err = smtp.Open("smtp://mail.example.org?tls=off", smtp.Options{From: "Shop <shop@example.org>"})
	fmt.Println(err)

	// Output:
	// <nil>
	// smtp: tls=off is only for a mail server on this machine, such as localhost; mail.example.org is another one
}
