package cli

// This file puts the words of a command line into the order that a flag package
// wants: command, flags, arguments. People write them in any order.

import (
	"slices"
	"strconv"
	"strings"
)

// completionFlag is what the shell's completion script appends.
const completionFlag = "--generate-bash-completion"

// arrange returns line (without the name of the program) as: command, every flag as
// --name=value, "--", arguments. A flag may stand before or after the command
// and before or after any argument; "--" ends the flags. A word that begins
// with "-" and a digit or a dot is a negative number, and a lone "-" an
// argument.
//
// A request for help becomes the command and --help; without a command,
// --help or --version alone remain. Unknown commands and flags and missing
// values are usage errors with the nearest name as a hint.
func arrange(program string, line []string, commands []*Command) ([]string, error) {
	if n := len(line); n > 0 && line[n-1] == completionFlag {
		return line, nil
	}
	w := split(line, commands)
	w.program = program
	if len(w.args) > 0 && w.args[0] == "help" {
		w.args, w.help = w.args[1:], true
	}
	switch {
	case len(w.args) > 0:
	case w.help:
		return []string{"--help"}, nil
	case w.version:
		return []string{"version"}, nil
	case w.unknown == "" && w.valueless == "":
		return nil, Usagef("no command given").Hinted("'%s --help' lists the commands", program)
	}
	if len(w.args) > 0 {
		if c := findCommand(commands, w.args[0]); c != nil {
			return w.forCommand(c, commands)
		}
	}
	switch {
	case w.unknown != "":
		return nil, Usagef("unknown option %s", w.unknown).Hinted("%s", w.suggestOption(w.unknown, nil, commands))
	case w.valueless != "":
		return nil, Usagef("option %s needs a value", w.valueless)
	}
	var known []string
	for _, c := range commands {
		known = append(known, c.Name)
	}
	return nil, Usagef("unknown command %q", w.args[0]).Hinted("%s", DidYouMean(w.args[0], program+" ", known))
}

// A commandLine is a command line taken apart.
type commandLine struct {
	program       string      // its name
	flags         [][2]string // name, value
	args          []string    // command first
	help, version bool
	unknown       string // the first unknown flag, as written
	valueless     string // the first flag that lacks its value
	misvalued     string // the first switch whose value is neither true nor false, as written
}

// split takes line apart. Flags of the same name take a value in all commands or
// in none, so the command need not be known yet.
func split(line []string, commands []*Command) (w commandLine) {
	for len(line) > 0 {
		word := line[0]
		line = line[1:]
		if word == "--" {
			w.args = append(w.args, line...)
			break
		}
		if !isFlag(word) {
			w.args = append(w.args, word)
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
		o := FindOption(commands, name)
		switch {
		case name == "help" || name == "h":
			w.help = true
			continue
		case name == "version":
			w.version = true
			continue
		case o == nil:
			if w.unknown == "" {
				w.unknown, _, _ = strings.Cut(word, "=")
			}
			continue
		case o.IsBool:
			on, err := strconv.ParseBool(value)
			if given && err != nil && w.misvalued == "" {
				w.misvalued = word
			}
			value = strconv.FormatBool(on || !given)
		case given:
		case len(line) == 0 || isFlag(line[0]) && isOption(line[0], commands):
			if w.valueless == "" {
				w.valueless = word
			}
			continue
		default:
			value, line = line[0], line[1:]
		}
		w.flags = append(w.flags, [2]string{o.Name, value})
	}
	return w
}

// forCommand arranges w for c, whose name is its first argument.
func (w *commandLine) forCommand(c *Command, commands []*Command) ([]string, error) {
	if w.help {
		return []string{c.Name, "--help"}, nil
	}
	if w.unknown != "" {
		return nil, Usagef("unknown option %s of '%s %s'", w.unknown, w.program, c.Name).
			Hinted("%s", w.suggestOption(w.unknown, c, commands))
	}
	if w.valueless != "" {
		return nil, Usagef("option %s needs a value", w.valueless)
	}
	if w.misvalued != "" {
		return nil, Usagef("option %s: the value is neither true nor false", w.misvalued)
	}
	arranged := []string{c.Name}
	for _, f := range w.flags {
		if Find(c.Options, f[0]) == nil {
			return nil, Usagef("'%s %s' has no option --%s", w.program, c.Name, f[0]).
				Hinted("%s", w.suggestOption(f[0], c, commands))
		}
		arranged = append(arranged, "--"+f[0]+"="+f[1])
	}
	arranged = append(arranged, "--")
	return append(arranged, w.args[1:]...), nil
}

// isFlag reports whether word is written like a flag.
func isFlag(word string) bool {
	return len(word) > 1 && word[0] == '-' && !strings.ContainsRune("0123456789.", rune(word[1]))
}

// isOption reports whether word is a flag that some command knows.
func isOption(word string, commands []*Command) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return name == "help" || name == "h" || FindOption(commands, name) != nil
}

// FindOption is the option of that name of the first command that has one.
func FindOption(commands []*Command, name string) *Option {
	for _, c := range commands {
		if o := Find(c.Options, name); o != nil {
			return o
		}
	}
	return nil
}

// findCommand is the command of that name, or nil.
func findCommand(commands []*Command, name string) *Command {
	i := slices.IndexFunc(commands, func(c *Command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return commands[i]
}

// suggestOption says what the flag was meant to be: the nearest one of c, the
// commands that have it, or where to read on. A nil c stands for all commands.
func (w *commandLine) suggestOption(flag string, c *Command, commands []*Command) string {
	name := strings.TrimLeft(flag, "-")
	var own, owners []string
	for _, other := range commands {
		if c == nil || other == c {
			own = append(own, Names(other.Options)...)
		}
		if Find(other.Options, name) != nil {
			owners = append(owners, w.program+" "+other.Name)
		}
	}
	if best := nearest(name, own); best != "" {
		return "did you mean --" + best + "?"
	}
	if len(owners) > 0 {
		return "--" + name + " is an option of " + strings.Join(owners, ", ")
	}
	if c == nil {
		return "'" + w.program + " --help' lists the commands and their common options"
	}
	return "'" + w.program + " " + c.Name + " --help' lists its options"
}
