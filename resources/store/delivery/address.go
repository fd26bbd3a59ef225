package delivery

import (
	"regexp"

	"trestle.example/framework"
)

// An Address is where an order goes, in India.
type Address struct {
	Name     string  `json:"name"     validate:"required,line,max=120" doc:"Who receives the order."                                example:"Asha Rao"`
	Phone    Phone   `json:"phone"    validate:"required"              doc:"Ten digits, or with a country's code: +919876543210."`
	Line1    string  `json:"line1"    validate:"required,line,max=200" doc:"The house and the street."                              example:"12, 4th Cross"`
	Line2    *string `json:"line2"    validate:"line,max=200"          doc:"More of the address, if there is more."                 example:"Indiranagar"`
	Landmark *string `json:"landmark" validate:"line,max=200"          doc:"What is near, for those who deliver."                   example:"Opposite the park"`
	City     string  `json:"city"     validate:"required,line,max=100"                                                              example:"Bengaluru"`
	State    string  `json:"state"    validate:"required,line,max=100"                                                              example:"Karnataka"`
	Pincode  Pincode `json:"pincode"  validate:"required"              doc:"Six digits, the first not 0."`
}

// Tidy returns the address with nil for every optional part that is blank: an
// absent part has one representation.
func (a Address) Tidy() Address {
	for _, part := range []**string{&a.Line2, &a.Landmark} {
		if *part != nil && **part == "" {
			*part = nil
		}
	}
	return a
}

// A Phone is a telephone number as E.164 has it: +919876543210.
type Phone string

var (
	tenDigits = regexp.MustCompile(`^\d{10}$`)
	worldwide = regexp.MustCompile(`^\+[1-9]\d{7,14}$`)
	sixDigits = regexp.MustCompile(`^[1-9]\d{5}$`)
)

// JSONSchemaBytes is the schema of the type in the OpenAPI document.
func (Phone) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","pattern":"^(\\+[1-9]\\d{7,14}|\\d{10})$","examples":["+919876543210"]}`), nil
}

// UnmarshalText reads a number of E.164, or the ten digits of an Indian one.
func (p *Phone) UnmarshalText(text []byte) error {
	number := string(text)
	if tenDigits.MatchString(number) {
		number = "+91" + number
	}
	if !worldwide.MatchString(number) {
		return framework.ValueError("must be ten digits, or a number with its country's code, such as +919876543210")
	}
	*p = Phone(number)
	return nil
}

// A Pincode is an Indian postal code.
type Pincode string

// JSONSchemaBytes is the schema of the type in the OpenAPI document.
func (Pincode) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","pattern":"^[1-9]\\d{5}$","examples":["560001"]}`), nil
}

// UnmarshalText reads six digits; the first must not be 0.
func (p *Pincode) UnmarshalText(text []byte) error {
	if !sixDigits.Match(text) {
		return framework.ValueError("must be six digits, the first not 0, such as 560001")
	}
	*p = Pincode(text)
	return nil
}
