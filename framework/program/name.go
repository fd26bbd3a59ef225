package program

import "strings"

// A programName is what a program is called by. It is kept in one place, [Program].Name;
// texts and variables are made of it.
type programName string

// text completes a text: {program} stands for the name, and {PROGRAM} for what the names
// of the program's variables begin with.
func (n programName) text(with string) string {
	variables := strings.ToUpper(strings.ReplaceAll(string(n), "-", "_"))
	return strings.NewReplacer("{program}", string(n), "{PROGRAM}", variables).Replace(with)
}

func (p Program) text(with string) string { return programName(p.Name).text(with) }
