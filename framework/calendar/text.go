package calendar

import "fmt"

// set sets a value to what parse reads from a text. After an error, it sets the value only if parse
// returned one.
func set[T Date | TimeOfDay | Duration](to *T, text string, parse func(string) (T, error)) error {
	v, err := parse(text)
	if err == nil || v != 0 {
		*to = v
	}
	return err
}

// bound returns what parse reads from the bound of a rule.
func bound[T Date | TimeOfDay | Duration](text string, parse func(string) (T, error)) (int64, error) {
	v, err := parse(text)
	return int64(v), err
}

// scan sets a value to what parse reads from the text of a column.
func scan[T Date | TimeOfDay | Duration](to *T, src any, parse func(string) (T, error)) error {
	var text string
	switch src := src.(type) {
	case string:
		text = src
	case []byte:
		text = string(src)
	default:
		return fmt.Errorf("calendar: a column with a %T cannot be read as %T", src, *to)
	}
	v, err := parse(text)
	if err != nil {
		return fmt.Errorf("calendar: the column has %q, which cannot be read as %T: %w", text, *to, err)
	}
	*to = v
	return nil
}
