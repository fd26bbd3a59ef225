package mail_test

import (
	"context"
	"fmt"

	"trestle.example/framework/mail"
)

// printer prints messages.
type printer struct{}

func (printer) Send(_ context.Context, m mail.Message) error {
	fmt.Printf("%s: %s\n", m.To, m.Subject)
	return m.Check()
}

// A message is sent after the function that caused it has returned.
func ExampleOutbox() {
	outbox := mail.NewOutbox(mail.OutboxOptions{Report: func(err error) { fmt.Println(err) }})
	put := outbox.Put(func(ctx context.Context) error {
		return printer{}.Send(ctx, mail.Message{To: "asha@example.com", Subject: "Your order", Text: "It is on its way.\n"})
	})
	err := outbox.Wait(context.Background())
	fmt.Println(put, err)

	// Output:
	// asha@example.com: Your order
	// true <nil>
}
