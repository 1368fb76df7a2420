package sweep

// This file reads what a sweep is to do: a TOML file whose keys are options of
// mtt run, a list of values being an axis.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
	"mtt/internal/version"
)

// A Plan is every combination of the values of some axes, each with Seeds
// seeds. Task t is the combination t/Seeds with the seed First + t mod Seeds, so
// that all combinations see the same seeds; the last axis varies fastest.
type Plan struct {
	Version string `json:"version"` // of the program: another one may find other tracks
	First   uint64 `json:"seed"`
	Seeds   int    `json:"seeds"`
	Fixed   []Axis `json:"fixed"` // one value each
	Axes    []Axis `json:"axes"`

	Unused []string `json:"-"` // keys that no scene has a use for, in words; of a plan that was read
}

// A Axis is an option and its values as the command line takes them.
type Axis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// unswept are options of mtt run that name files or ask for them: a sweep writes
// none of these.
var unswept = []string{"costs", "pmbm", "png", "gates", "best"}

// job is one scene, tracked and scored.
type job struct {
	simulate *task.SimulateOptions
	track    *task.TrackOptions
	score    *task.ScoreOptions
	options  []cli.Option
}

// newJob makes a task with the defaults of mtt run.
func newJob() *job {
	t := &job{}
	t.options, t.simulate, t.track, t.score = task.BindRun()
	t.options = slices.DeleteFunc(t.options, func(o cli.Option) bool { return slices.Contains(unswept, o.Name) })
	return t
}

// Read reads the file at path. Everything in it is checked: a key or value that
// is not one of mtt run's is a usage error that names it.
func Read(path string, seed uint64) (*Plan, error) {
	tree, meta, err := cli.DecodeTOML(path, "")
	if err != nil {
		return nil, err
	}
	p := &Plan{Version: version.Version, First: seed, Seeds: 1}
	known := append(cli.Names(newJob().options), "seeds")
	for _, key := range meta.Keys() {
		name := key.String()
		if len(key) > 1 || meta.Type(name) == "Hash" {
			return nil, cli.Usagef("%s: %s is a table; write options of mtt run at the top of the file", path, key[0])
		}
		if name == "seeds" {
			n, ok := tree[name].(int64)
			if !ok || n < 1 || n > 1e9 {
				return nil, cli.Usagef("%s: seeds is no whole number from 1 on", path).
					Hinted("seeds = 20 takes twenty of them, from --seed on")
			}
			p.Seeds = int(n)
			continue
		}
		if !slices.Contains(known, name) {
			return nil, cli.Misspelt(path, name, known)
		}
		list, isList := tree[name].([]any)
		if !isList {
			list = []any{tree[name]}
		}
		axis := Axis{Name: name}
		for _, v := range list {
			text, err := cli.OptionText(path, name, v)
			if err != nil {
				return nil, err
			}
			axis.Values = append(axis.Values, text)
		}
		switch {
		case len(list) == 0:
			return nil, cli.Usagef("%s: %s has no value", path, name)
		case isList:
			p.Axes = append(p.Axes, axis)
		default:
			p.Fixed = append(p.Fixed, axis)
		}
	}
	return p, p.check(path)
}

// check sets up every combination once, and notes what none has a use for.
func (p *Plan) check(path string) error {
	if err := p.possible(); err != nil {
		return cli.Usagef("%s: %w", path, err)
	}
	keys, base := slices.Concat(p.Fixed, p.Axes), newJob()
	why, used := make(map[string]string), make(map[string]bool)
	for c := range p.cases() {
		t, err := p.job(c * p.Seeds)
		if err == nil {
			_, err = t.simulate.Scenario(p.First)
		}
		if err == nil {
			_, err = t.track.Association(&runfolder.Meta{}, 1)
		}
		if err != nil {
			return cli.Usagef("%s: %w", path, err).Hinted("%s", cli.HintOf(err))
		}
		if len(used) == len(keys) {
			continue
		}
		unused := t.simulate.Unused()
		for _, u := range unused {
			why[u.Option] = cmp.Or(why[u.Option], u.Why)
		}
		for _, a := range keys {
			if !used[a.Name] && !slices.ContainsFunc(unused, func(u task.Unused) bool { return u.Option == a.Name }) &&
				cli.Find(t.options, a.Name).Value() != cli.Find(base.options, a.Name).Value() { // which says nothing of it
				used[a.Name] = true
			}
		}
	}
	for k, a := range keys {
		if why[a.Name] == "" || used[a.Name] {
			continue
		}
		text := fmt.Sprintf("%s: %s has no use %s", path, a.Name, why[a.Name])
		if k >= len(p.Fixed) {
			text += ": cases that differ in it alone are alike"
		}
		p.Unused = append(p.Unused, text)
	}
	return nil
}

// maxTasks is the largest number of scenes.
const maxTasks = 1e9

// possible is the error for a plan that no file of ours makes.
func (p *Plan) possible() error {
	if p.Seeds < 1 || p.Seeds > maxTasks {
		return fmt.Errorf("a sweep of %d seeds", p.Seeds)
	}
	tasks := float64(p.Seeds)
	for _, list := range [][]Axis{p.Fixed, p.Axes} {
		for _, a := range list {
			if len(a.Values) == 0 {
				return fmt.Errorf("%s has no value", a.Name)
			}
			tasks *= float64(len(a.Values))
		}
	}
	if tasks > maxTasks {
		return fmt.Errorf("%.3g tasks are too many: the limit is %d", tasks, int(maxTasks))
	}
	return nil
}

// cases is the number of combinations.
func (p *Plan) cases() int {
	n := 1
	for _, a := range p.Axes {
		n *= len(a.Values)
	}
	return n
}

// tasks is the number of scenes.
func (p *Plan) tasks() int { return p.cases() * p.Seeds }

// values are those of combination c, in the order of the axes.
func (p *Plan) values(c int) []string {
	values := make([]string, len(p.Axes))
	for i, a := range slices.Backward(p.Axes) {
		values[i] = a.Values[c%len(a.Values)]
		c /= len(a.Values)
	}
	return values
}

// axisFields are the values of combination c for printing.
func (p *Plan) axisFields(c int) cli.Record {
	var r cli.Record
	for k, text := range p.values(c) {
		if x, err := cli.ParseNumber[float64](text); err == nil {
			r.Add(p.Axes[k].Name, x)
		} else {
			r.Add(p.Axes[k].Name, text)
		}
	}
	return r
}

// job prepares task i.
func (p *Plan) job(i int) (*job, error) {
	t := newJob()
	set := func(name, value string) error {
		if err := cli.Find(t.options, name).SetSaved(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	for _, a := range p.Fixed {
		if err := set(a.Name, a.Values[0]); err != nil {
			return nil, err
		}
	}
	for k, value := range p.values(i / p.Seeds) {
		if err := set(p.Axes[k].Name, value); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// seed is that of task i.
func (p *Plan) seed(i int) uint64 { return p.First + uint64(i%p.Seeds) }

// line is the plan on one line; equal plans have equal lines.
func (p *Plan) line() string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers are always valid JSON
	}
	return string(b)
}
