package cli

// This file writes the help texts.

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// exitStatuses is a section of every command's help.
const exitStatuses = `EXIT STATUS:
     0  done
     1  failed
     2  bad usage or bad input
     3  a problem has no feasible answer
   130  interrupted; what was finished is kept
`

// commandHelp is the help template of c.
func commandHelp(c *Command) string {
	var b strings.Builder
	b.WriteString("NAME:\n   " + c.program + " " + c.Name + " - " + c.Summary + "\n\n")
	b.WriteString("USAGE:\n   " + c.UsageLine() + "\n\n")
	if c.About != "" {
		b.WriteString(indent(c.About) + "\n")
	}
	for _, g := range groupOptions(c.Options) {
		b.WriteString(g.title + ":\n" + optionList(g.options) + "\n")
	}
	b.WriteString(indent("An option NAME is also read from the environment variable "+variableOf(c.program, "name")+" and from the\n"+
		"file of --config; the command line comes first, then the environment.") + "\n")
	b.WriteString(exitStatuses)
	if c.Examples != "" {
		b.WriteString("\nEXAMPLES:\n" + indent(c.Examples))
	}
	return b.String()
}

// appHelp is the help template of the whole program.
func appHelp(program string, commands []*Command) string {
	var b strings.Builder
	b.WriteString("NAME:\n   " + program + " - {{.Usage}}\n\n")
	b.WriteString("USAGE:\n   " + program + " COMMAND [options] [arguments]\n\n")
	b.WriteString("COMMANDS:\n")
	width := 0
	for _, c := range commands {
		width = max(width, len(c.Name))
	}
	for _, c := range commands {
		b.WriteString("   " + c.Name + strings.Repeat(" ", width-len(c.Name)+2) + c.Summary + "\n")
	}
	b.WriteString("\n" + indent("'"+program+" COMMAND --help' explains a command, its options and its exit status, and\n"+
		"gives examples. Options may stand before or after the command and its arguments.\n"+
		"--seed, --workers, --format, --out, --config, --quiet, --log, --cpuprofile and\n"+
		"--trace are options of every command.") + "\n")
	b.WriteString(exitStatuses)
	return b.String()
}

// UsageLine is how c is called.
func (c *Command) UsageLine() string {
	return strings.TrimSpace(c.program + " " + c.Name + " [options] " + c.Args)
}

// An optionGroup is a section of options of a help text.
type optionGroup struct {
	title   string
	options []*Option
}

// groupOptions puts options into sections: those of no group, the groups in the order
// of their first options, and those of every command.
func groupOptions(options []Option) []optionGroup {
	plain, common := optionGroup{title: "OPTIONS"}, optionGroup{title: "OPTIONS OF EVERY COMMAND"}
	var groups []optionGroup
	for i := range options {
		o := &options[i]
		into := &plain
		switch {
		case o.Common:
			into = &common
		case o.group != "":
			at := slices.IndexFunc(groups, func(g optionGroup) bool { return g.title == o.group })
			if at < 0 {
				at, groups = len(groups), append(groups, optionGroup{title: o.group})
			}
			into = &groups[at]
		}
		into.options = append(into.options, o)
	}
	if len(plain.options) > 0 || len(groups) == 0 {
		groups = slices.Insert(groups, 0, plain)
	}
	return append(groups, common)
}

// optionList describes options: the names in one column, what they mean and their
// defaults in another.
func optionList(options []*Option) string {
	const left, width = 3, 92
	var heads, texts []string
	column := 0
	for _, o := range options {
		head := "--" + o.Name
		if o.alias != "" {
			head = "-" + o.alias + ", " + head
		}
		text := strings.ReplaceAll(o.Usage, "`", "")
		if quoted := strings.Split(o.Usage, "`"); len(quoted) == 3 {
			head += " " + quoted[1]
		}
		if value := o.Value(); !o.IsBool && value != "" {
			text += " (default: " + value + ")"
		}
		heads, texts = append(heads, head), append(texts, text)
		column = max(column, left+utf8.RuneCountInString(head)+2)
	}
	var b strings.Builder
	for i, head := range heads {
		b.WriteString(strings.Repeat(" ", left) + head + strings.Repeat(" ", column-left-utf8.RuneCountInString(head)))
		at := column
		for j, word := range strings.Fields(texts[i]) {
			switch n := utf8.RuneCountInString(word); {
			case j == 0:
				at += n
			case at+1+n > width:
				b.WriteString("\n" + strings.Repeat(" ", column))
				at = column + n
			default:
				b.WriteByte(' ')
				at += 1 + n
			}
			b.WriteString(word)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// indent moves every line of text three columns to the right.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("   ")
		}
		b.WriteString(line)
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}
