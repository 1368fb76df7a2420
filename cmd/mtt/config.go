package main

// This file decides the value of every option: command line, then environment,
// then configuration file, then default.
//
// A configuration file is TOML. A key at its top, such as seed = 7, sets that
// option of every command that has it; a key in the table of a command, such as
// targets in [simulate], sets it for that command only and wins. The run.toml of
// a run folder is a configuration file as well: it makes the same run again.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"mtt/internal/runfolder"
)

// fill sets the options of c. The lookup given finds the text of an option on
// the command line.
func (s *session) fill(c *command, commands []*command, given func(*option) (string, bool)) error {
	config := find(c.options, "config")
	if err := choose(config, given, nil); err != nil {
		return err
	}
	var file *configuration
	if s.common.Config != "" {
		var err error
		if file, err = readConfiguration(s.common.Config, c, commands); err != nil {
			return err
		}
	}
	for i := range c.options {
		if o := &c.options[i]; o != config {
			if err := choose(o, given, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose sets o from the first place that names it.
func choose(o *option, given func(*option) (string, bool), file *configuration) error {
	variable := variableOf(o.name)
	where := "option --" + o.name
	text, ok := given(o)
	if !ok {
		where = "environment variable " + variable
		text, ok = os.LookupEnv(variable)
		ok = ok && text != ""
	}
	if !ok && file != nil {
		where = fmt.Sprintf("%s: key %q", file.path, o.name)
		text, ok = file.values[o.name]
	}
	if !ok {
		return nil
	}
	if err := o.set(text); err != nil {
		return usagef("%s: %w", where, err).hinted("%s", hintOf(err))
	}
	return nil
}

// variableOf is the environment variable of the option with the given name.
func variableOf(name string) string {
	return "MTT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// warnEnvironment tells of variables that look like a misspelt option.
func (s *session) warnEnvironment(commands []*command) {
	var known []string
	for _, c := range commands {
		known = append(known, names(c.options)...)
	}
	for _, entry := range os.Environ() {
		variable, _, _ := strings.Cut(entry, "=")
		name, ours := strings.CutPrefix(variable, "MTT_")
		name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
		if !ours || slices.Contains(known, name) || variable == "MTT_SHARED" { // that is for our tests
			continue
		}
		if best := nearest(name, known); best != "" {
			s.log.Warn("the environment variable "+variable+" names no option", hintKey, "did you mean "+variableOf(best)+"?")
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
func readConfiguration(path string, c *command, commands []*command) (*configuration, error) {
	tree, _, err := decodeTOML(path, "configuration file ")
	if err != nil {
		return nil, err
	}
	file := &configuration{path: path, values: make(map[string]string)}
	var all, known []string
	for _, other := range commands {
		all = append(all, other.name)
		known = append(known, names(other.options)...)
	}
	known = append(known, all...)
	for _, key := range sortedKeys(tree) {
		table, isTable := tree[key].(map[string]any)
		switch owner := findCommand(commands, key); {
		case slices.Contains(runfolder.Keys, key) && (!isTable || owner == nil):
		case isTable && owner != nil:
			if err := checkKeys(path, table, owner); err != nil {
				return nil, err
			}
		case isTable:
			return nil, usagef("%s: no command is called [%s]", path, key).hinted("%s", didYouMean(key, "", all))
		case !slices.Contains(known, key) || owner != nil:
			return nil, misspelt(path, key, known)
		default:
			if err := file.take(key, tree[key]); err != nil {
				return nil, err
			}
		}
	}
	own, _ := tree[c.name].(map[string]any)
	for _, key := range sortedKeys(own) {
		if err := file.take(key, own[key]); err != nil {
			return nil, err
		}
	}
	return file, nil
}

// decodeTOML reads the file at path. Its errors are those of bad input; kind is what
// comes before the name of a file that does not exist.
func decodeTOML(path, kind string) (tree map[string]any, meta toml.MetaData, err error) {
	meta, err = toml.DecodeFile(path, &tree)
	var parse toml.ParseError
	switch {
	case errors.As(err, &parse):
		err = usagef("%s: line %d: %s", path, parse.Position.Line, parse.Message)
	case errors.Is(err, fs.ErrNotExist):
		err = usagef("%s%s does not exist", kind, path)
	default:
		err = badInput(err)
	}
	return tree, meta, err
}

// checkKeys checks that every key of table is an option of c.
func checkKeys(path string, table map[string]any, c *command) error {
	own := names(c.options)
	for _, key := range sortedKeys(table) {
		if !slices.Contains(own, key) {
			return misspelt(path, c.name+"."+key, own)
		}
	}
	return nil
}

// misspelt is the usage error for a key, "table.key" or "key", that no option is called.
func misspelt(path, key string, known []string) error {
	err := usagef("%s: unknown key %q", path, key)
	if best := nearest(key[strings.LastIndexByte(key, '.')+1:], known); best != "" {
		err.hinted("did you mean %s?", best)
	}
	return err
}

// take stores the value of key as the command line would write it.
func (f *configuration) take(key string, value any) error {
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
			return usagef("%s: key %q: a value of type %T is no option", f.path, key, v)
		}
	}
	f.values[key] = strings.Join(parts, ",")
	return nil
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
