package throttle

import (
	"strings"
	"testing"
	"time"
)

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Rate{
		"100/min":        {100, time.Minute},
		"1/sec":          {1, time.Second},
		"5/s":            {5, time.Second},
		"5/second":       {5, time.Second},
		"5/m":            {5, time.Minute},
		"5/minute":       {5, time.Minute},
		"20/hour":        {20, time.Hour},
		"20/h":           {20, time.Hour},
		"1000000/day":    {1_000_000, 24 * time.Hour},
		"7/d":            {7, 24 * time.Hour},
		"100 / MIN":      {100, time.Minute},
		"0000000100/min": {100, time.Minute},
	} {
		got, err := ParseRate(text)
		if err != nil || got != want {
			t.Errorf("%q is %v, error %v; want %v", text, got, err, want)
		}
		if again, err := ParseRate(got.String()); again != got || err != nil || got.Check() != nil {
			t.Errorf("%q is written %q, read as %v, error %v", text, got, again, err)
		}
	}
	for text, says := range map[string]string{
		"":                        "has no /",
		"100":                     "has no /",
		"100 per min":             "has no /",
		"/min":                    `begins with ""`,
		"many/min":                `begins with "many"`,
		"0/min":                   "from 1 to 1000000",
		"-5/min":                  "from 1 to 1000000",
		"1.5/min":                 "a whole number",
		"1000001/min":             "from 1 to 1000000",
		"99999999999999999999/hr": "from 1 to 1000000",
		"5/":                      `ends with ""; write sec, min, hour or day`,
		"5/mins":                  `ends with "mins"; write sec, min, hour or day`,
		"5/fortnight":             `ends with "fortnight"`,
		"5/min/hour":              `ends with "min/hour"`,
	} {
		_, err := ParseRate(text)
		if err == nil || !strings.Contains(err.Error(), says) || text != "" && !strings.Contains(err.Error(), text) {
			t.Errorf("%q: error %v; want %q in it", text, err, says)
		}
	}
}

func TestParseRates(t *testing.T) {
	t.Parallel()
	known := []string{"login", "register", "user", "anon"}
	for text, want := range map[string]map[string]Rate{
		"":                                    {},
		" , ":                                 {},
		"login=5/min":                         {"login": {5, time.Minute}},
		" login = 5/min , user = 1000/min , ": {"login": {5, time.Minute}, "user": {1000, time.Minute}},
	} {
		got, err := ParseRates(text, known...)
		if err != nil || len(got) != len(want) {
			t.Errorf("%q is %v, error %v; want %v", text, got, err, want)
		}
		for scope, rate := range want {
			if got[scope] != rate {
				t.Errorf("%q: %s is %v; want %v", text, scope, got[scope], rate)
			}
		}
	}
	for text, says := range map[string][]string{
		"logn=5/min":              {`no throttle scope "logn"; did you mean "login"?`},
		"Login=5/min":             {`did you mean "login"?`},
		"anonymous=5/min":         {`did you mean "anon"?`},
		"uploads=5/min":           {`"uploads"; there are login, register, user, anon`},
		"=5/min":                  {`no throttle scope ""`},
		"5/min":                   {`"5/min" names no rate; write scope=rate`},
		"login=often":             {`throttle scope "login": rate "often" has no /`},
		"login=5/min,login=6/min": {`"login" has two rates`},
		"usr=1/min,login=x/min":   {`did you mean "user"?`, `begins with "x"`},
	} {
		_, err := ParseRates(text, known...)
		for _, part := range says {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: error %v; want %q", text, err, part)
			}
		}
	}
}

func TestAnInvalidRateIsRejected(t *testing.T) {
	t.Parallel()
	for name, rate := range map[string]Rate{
		"nothing":                {},
		"no requests":            {0, time.Minute},
		"a negative number":      {-1, time.Minute},
		"too many":               {mostLimit + 1, time.Minute},
		"no time":                {1, 0},
		"less than a second":     {1, 999 * time.Millisecond},
		"a fraction of a second": {1, 1500 * time.Millisecond},
		"too long":               {1, 367 * day},
	} {
		if _, err := new(Memory).Take(t.Context(), "key", rate); err == nil {
			t.Errorf("%s: %v is accepted", name, rate)
		}
	}
}

func TestAWrongDeclarationPanicsWithASentence(t *testing.T) {
	t.Parallel()
	store, rate := new(Memory), Rate{1, time.Minute}
	for says, declare := range map[string]func(){
		"the store is nil":                 func() { New(nil, "login", rate) },
		"a scope is a name":                func() { New(store, "", rate) },
		"such as login":                    func() { New(store, `a"b`, rate) },
		"the limit is 0":                   func() { New(store, "login", Rate{}) },
		`throttle "anon": throttle.Rate: `: func() { Anonymous(store, Rate{Limit: 1}) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, says) {
					t.Errorf("the panic is %q; want %q", said, says)
				}
			}()
			declare()
		}()
	}
}
