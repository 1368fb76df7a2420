package cli

// This file decides the value of every option: command line, then environment,
// then configuration file, then default.
//
// A configuration file is TOML. A key at its top, such as seed = 7, sets that
// option of every command that has it; a key in the table of a command sets it for
// that command only and wins. Keys of the app that set no option are passed over, so
// that a file which says how a result was made can be one, too.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"mtt/internal/tomlfile"
)

// fill sets the options of c. The lookup given finds the text of an option on
// the command line.
func (s *Session) fill(c *Command, commands []*Command, given func(*Option) (string, bool)) error {
	config := Find(c.Options, "config")
	if err := s.app.choose(config, given, nil); err != nil {
		return err
	}
	var file *configuration
	if s.Common.Config != "" {
		var err error
		if file, err = s.app.readConfiguration(s.Common.Config, c, commands); err != nil {
			return err
		}
	}
	for i := range c.Options {
		if o := &c.Options[i]; o != config {
			if err := s.app.choose(o, given, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose sets o from the first place that names it.
func (a *App) choose(o *Option, given func(*Option) (string, bool), file *configuration) error {
	variable := variableOf(a.Name, o.Name)
	where := "option --" + o.Name
	text, ok := given(o)
	set := o.Set
	if !ok {
		where = "environment variable " + variable
		text, ok = os.LookupEnv(variable)
		ok = ok && text != ""
	}
	if !ok && file != nil {
		where = fmt.Sprintf("%s: key %q", file.path, o.Name)
		text, ok = file.values[o.Name]
		set = o.SetSaved
	}
	if !ok {
		return nil
	}
	if err := set(text); err != nil {
		return Usagef("%s: %w", where, err).Hinted("%s", HintOf(err))
	}
	return nil
}

// variableOf is the environment variable of the option of that name.
func variableOf(program, option string) string {
	return strings.ToUpper(strings.ReplaceAll(program+"_"+option, "-", "_"))
}

// warnEnvironment tells of variables that look like a misspelt option.
func (s *Session) warnEnvironment(commands []*Command) {
	var known []string
	for _, c := range commands {
		known = append(known, Names(c.Options)...)
	}
	for _, entry := range os.Environ() {
		variable, _, _ := strings.Cut(entry, "=")
		name, ours := strings.CutPrefix(variable, variableOf(s.app.Name, ""))
		name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
		if !ours || slices.Contains(known, name) || slices.Contains(s.app.Variables, variable) {
			continue
		}
		if best := nearest(name, known); best != "" {
			s.Log.Warn("the environment variable "+variable+" names no option", hintKey, "did you mean "+variableOf(s.app.Name, best)+"?")
		}
	}
}

// A configuration is what a file says about the options of one command.
type configuration struct {
	path   string
	values map[string]string // option name to its value, as the command line takes it
}

// readConfiguration reads the file at path for c. A key that names no option is
// a usage error, in the tables of other commands too.
func (a *App) readConfiguration(path string, c *Command, commands []*Command) (*configuration, error) {
	tree, _, err := DecodeTOML(path, "configuration file ")
	if err != nil {
		return nil, err
	}
	file := &configuration{path: path, values: make(map[string]string)}
	var all, options []string
	for _, other := range commands {
		all = append(all, other.Name)
		options = append(options, Names(other.Options)...)
	}
	for _, key := range sortedKeys(tree) {
		table, isTable := tree[key].(map[string]any)
		switch owner := findCommand(commands, key); {
		case slices.Contains(a.Keys, key) && (!isTable || owner == nil):
		case isTable && owner != nil:
			if err := checkKeys(path, table, owner); err != nil {
				return nil, err
			}
		case isTable:
			return nil, Usagef("%s: no command is called [%s]", path, key).Hinted("%s", DidYouMean(key, "", all))
		case !slices.Contains(options, key) && owner != nil:
			return nil, Usagef("%s: unknown key %q", path, key).Hinted("[%s] begins the table of that command", key)
		case !slices.Contains(options, key):
			return nil, Misspelt(path, key, slices.Concat(options, all))
		default:
			if err := file.take(key, tree[key]); err != nil {
				return nil, err
			}
		}
	}
	own, _ := tree[c.Name].(map[string]any)
	for _, key := range sortedKeys(own) {
		if err := file.take(key, own[key]); err != nil {
			return nil, err
		}
	}
	return file, nil
}

// DecodeTOML reads the file at path. Its errors are those of bad input; kind is what
// comes before the name of a file that does not exist.
func DecodeTOML(path, kind string) (tree map[string]any, meta toml.MetaData, err error) {
	meta, err = tomlfile.DecodeFile(path, &tree)
	var parse toml.ParseError
	switch {
	case errors.As(err, &parse):
		err = Usagef("%s: line %d: %s", path, parse.Position.Line, parse.Message)
	case errors.Is(err, fs.ErrNotExist):
		err = Usagef("%s%s does not exist", kind, path)
	default:
		err = BadInput(err)
	}
	return tree, meta, err
}

// checkKeys checks that every key of table is an option of c.
func checkKeys(path string, table map[string]any, c *Command) error {
	own := Names(c.Options)
	for _, key := range sortedKeys(table) {
		if !slices.Contains(own, key) {
			return Misspelt(path, c.Name+"."+key, own)
		}
	}
	return nil
}

// Misspelt is the usage error for a key, "table.key" or "key", that no option is called.
func Misspelt(path, key string, known []string) error {
	err := Usagef("%s: unknown key %q", path, key)
	if best := nearest(key[strings.LastIndexByte(key, '.')+1:], known); best != "" {
		err.Hinted("did you mean %s?", best)
	}
	return err
}

// take stores the value of key as the command line would write it.
func (f *configuration) take(key string, value any) (err error) {
	f.values[key], err = OptionText(f.path, key, value)
	return err
}

// OptionText is the value of key in the TOML file at path as the command line would
// write it.
func OptionText(path, key string, value any) (string, error) {
	var parts []string
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			parts = append(parts, v)
		case int64:
			parts = append(parts, strconv.FormatInt(v, 10))
		case float64:
			parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
		case bool:
			parts = append(parts, strconv.FormatBool(v))
		default:
			return "", Usagef("%s: key %q: a value of type %T is no option", path, key, v)
		}
	}
	return strings.Join(parts, ","), nil
}

// sortedKeys lists the keys of m in ascending order.
func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
