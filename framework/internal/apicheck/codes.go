package apicheck

import (
	"maps"
	"slices"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
)

// checkOwnCodes checks that each code of the program is well formed, is not the framework's own,
// has a valid status, and is declared once. The same code may be declared as a code of errors and
// as a code of faults, as the framework does with "unique".
func (k Checker) checkOwnCodes(report func(place, format string, args ...any)) {
	type use struct {
		code    string
		isFault bool
	}
	known := map[use]bool{}
	for _, code := range k.API.Config.Codes {
		one := use{code.Code, code.IsFault()}
		switch {
		case !naming.CodeName.MatchString(code.Code):
			report("Codes", "%q must be made of a-z, 0-9 and _", code.Code)
		case fault.IsBuiltin(code.Code), code.IsFault() && input.BuiltinFault(code.Code):
			report("Codes", "%q is the framework's own", code.Code)
		case known[one]:
			report("Codes", "%q is there twice; leave one out", code.Code)
		case !code.IsFault() && (code.Status < 400 || code.Status > 599):
			report("Codes", "%q has the status %d; an error has 400 to 599, and a code of faults alone has 0", code.Code, code.Status)
		}
		known[one] = true
	}
}

// checkOwnRules checks each rule of the program, and that no two have one name and none has a code
// of the framework.
func (k Checker) checkOwnRules(report func(place, format string, args ...any)) {
	known := map[string]bool{}
	for _, own := range k.API.Config.Rules {
		err := own.Check()
		switch {
		case err != nil:
			report("Rules", "%w", err)
		case known[own.Name()]:
			report("Rules", "the rule %q is there twice; leave one out", own.Name())
		case input.BuiltinFault(own.FaultCode()) || fault.IsBuiltin(own.FaultCode()):
			report("Rules", "the code %q of the rule %q is the framework's own", own.FaultCode(), own.Name())
		}
		known[own.Name()] = true
	}
}

// SetStatuses gives the codes of the API the statuses of the settings. It runs after the codes of
// all viewsets are known.
func (k Checker) SetStatuses() {
	for _, code := range slices.Sorted(maps.Keys(k.API.Config.Statuses)) {
		status := k.API.Config.Statuses[code]
		if err := fault.CheckStatus(k.API.Codes, code, status); err != nil {
			k.Fault("framework.Config", "Statuses", err)
			continue
		}
		info := k.API.Codes[code]
		info.Status = status
		k.API.Codes[code] = info
	}
}
