package program

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
)

var rightName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// mistakes returns the mistakes in the declaration of the program, or nil. A mistake in the
// name, in Register or in the demo data is returned alone. Without one, the error joins, for
// each setting and each command, the first mistake of its declaration and its taken names.
func (p Program) mistakes() error {
	if !rightName.MatchString(p.Name) {
		return fmt.Errorf("program: the name is %q; it must be lower-case letters, digits and hyphens, and begin with a letter, such as my-shop", p.Name)
	}
	if p.Register == nil {
		return errors.New("program: there is no function Register, which adds the services to the API")
	}
	if err := p.demoMistake(); err != nil {
		return fmt.Errorf("program: the demo data: %w", err)
	}
	taken := p.takenNames()
	var wrong []error
	for _, s := range p.Settings {
		if err := errors.Join(s.mistake(), taken.addSetting(p, s.declared())); err != nil {
			wrong = append(wrong, fmt.Errorf("program: the setting %q: %w", s.name(), err))
		}
	}
	for _, c := range p.Commands {
		if err := errors.Join(c.mistake(), taken.addCommand(c)); err != nil {
			wrong = append(wrong, fmt.Errorf("program: the command %q: %w", c.name(), err))
		}
	}
	return errors.Join(wrong...)
}

// demoMistake returns the first mistake in the declaration of the demo data, or nil. The
// mistakes of its flags are joined in one error.
func (p Program) demoMistake() error {
	demo := p.Demo
	switch {
	case demo == nil:
		return nil
	case demo.Plan == nil:
		return errors.New("it needs a function Plan, which returns the Sowing")
	case (demo.Visitor == "") != (demo.Requests == nil):
		return errors.New("it has only one of Visitor and Requests; set both or neither, because Requests receives the visitor's token")
	case demo.Flags == nil:
		return nil
	}
	p.Demo = nil
	taken := p.takenNames()
	taken.settings[forceFlag] = true
	return taken.checkFlags(demo.Flags)
}

// takenNames are the names that a further setting or command must not have.
type takenNames struct {
	commands  map[string]bool
	variables map[string]bool
	settings  map[string]bool   // the flags that own commands and the demo must not add
	flags     map[string]string // each flag, with a command that has it
}

// takenNames returns the names of the built-in commands and settings.
func (p Program) takenNames() takenNames {
	p.Settings, p.Commands = nil, nil
	project := p.project()
	taken := takenNames{
		commands: map[string]bool{"help": true, "completion": true}, variables: map[string]bool{},
		settings: map[string]bool{"help": true}, flags: map[string]string{"help": "each command", "version": "the program itself"},
	}
	for _, variable := range project.Table().Variables() {
		taken.variables[variable] = true
	}
	for _, s := range project.Table().Settings() {
		taken.settings[s.Flag] = true
	}
	root := newRoot(&command.Run{Project: project}, p)
	for _, c := range root.Commands() {
		taken.commands[c.Name()] = true
	}
	taken.addFlags(root)
	return taken
}

// addFlags adds the flags of a command and of the commands below it.
func (t takenNames) addFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) { t.flags[f.Name] = c.CommandPath() })
	for _, below := range c.Commands() {
		t.addFlags(below)
	}
}

func (t takenNames) addSetting(p Program, s config.Setting) error {
	variable := config.Name(p.Name).Text(s.Variable)
	where, taken := t.flags[s.Flag]
	switch {
	case taken:
		return fmt.Errorf("%s has a flag of this name; choose another", where)
	case t.variables[variable]:
		return fmt.Errorf("its variable would be %s, which the program reads already; choose another name", variable)
	}
	t.variables[variable] = true
	if s.Flag != "" {
		t.settings[s.Flag], t.flags[s.Flag] = true, "another setting"
	}
	return nil
}

func (t takenNames) addCommand(c Command) error {
	if t.commands[c.name()] {
		return errors.New("there is a command of this name already; choose another")
	}
	t.commands[c.name()] = true
	if c.Flags == nil {
		return nil
	}
	return t.checkFlags(c.Flags)
}

// checkFlags returns an error that names each flag that add adds and that is taken, or nil.
func (t takenNames) checkFlags(add func(*pflag.FlagSet)) error {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	add(own)
	var wrong []error
	own.VisitAll(func(f *pflag.Flag) {
		if t.settings[f.Name] {
			wrong = append(wrong, fmt.Errorf("its command has another flag --%s already, such as that of a setting; choose another name", f.Name))
		}
	})
	return errors.Join(wrong...)
}
