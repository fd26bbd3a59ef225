// Package theme makes the style sheet of the colours that a program gives its console.
package theme

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"trestle.example/framework/internal/declare"
)

// The colours of the page in both themes, as the console's style sheet has them.
const (
	lightPage = "#ffffff"
	darkPage  = "#14171a"
)

// leastContrast is that of text (WCAG 2.2, 1.4.3).
const leastContrast = 4.5

// Sheet returns the style sheet of an accent; nil for the default. A colour in another form, and a contrast that is too small, are errors.
func Sheet(a declare.ConsoleAccent) ([]byte, error) {
	if a == (declare.ConsoleAccent{}) {
		return nil, nil
	}
	err := errors.Join(
		check("OnLight on Light", a.OnLight, a.Light), check("Light on the page", a.Light, lightPage),
		check("OnDark on Dark", a.OnDark, a.Dark), check("Dark on the page", a.Dark, darkPage))
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, ":root { --accent: %s; --on-accent: %s; }\n@media (prefers-color-scheme: dark) { :root { --accent: %s; --on-accent: %s; } }\n",
		a.Light, a.OnLight, a.Dark, a.OnDark), nil
}

// check returns an error if a text cannot be read on its background.
func check(what, text, background string) error {
	front, err := luminance(text)
	if err != nil {
		return err
	}
	back, err := luminance(background)
	if err != nil {
		return err
	}
	if ratio := (max(front, back) + 0.05) / (min(front, back) + 0.05); ratio < leastContrast {
		return fmt.Errorf("Accent: the contrast of %s, %s on %s, is %.2f:1; it must be at least 4.5:1", what, text, background, ratio) //nolint:staticcheck // it begins with a name
	}
	return nil
}

var colour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// luminance returns the relative luminance of a colour (WCAG 2.2).
func luminance(text string) (float64, error) {
	if !colour.MatchString(text) {
		return 0, fmt.Errorf("Accent: %q is not a colour of the form #0b5cad; all four are needed", text) //nolint:staticcheck // it begins with a name
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, _ := strconv.ParseUint(text[1+2*i:3+2*i], 16, 8) // the form is checked
		part := float64(n) / math.MaxUint8
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum, nil
}
