package main

// This file reads what "mtt sweep" is to do: a TOML file whose keys are options of
// mtt run, a list of values being an axis.

import (
	"encoding/json"
	"fmt"
	"slices"

	"mtt/internal/runfolder"
)

// A sweepPlan is every combination of the values of some axes, each with so many
// seeds. Task t is the combination t/Seeds with the seed First + t mod Seeds, so
// that all combinations see the same seeds; the last axis varies fastest.
type sweepPlan struct {
	Version string      `json:"version"` // of the program: another one may find other tracks
	First   uint64      `json:"seed"`
	Seeds   int         `json:"seeds"`
	Fixed   []sweepAxis `json:"fixed"` // one value each
	Axes    []sweepAxis `json:"axes"`
}

// A sweepAxis is an option and its values as the command line takes them.
type sweepAxis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// unswept are options of mtt run that name files or ask for them: a sweep writes
// none of these.
var unswept = []string{"costs", "pmbm", "png", "gates"}

// sweepTask is one scene, tracked and scored.
type sweepTask struct {
	simulate *simulateOptions
	track    *trackOptions
	score    *scoreOptions
	options  []option
}

// newSweepTask makes a task with the defaults of mtt run.
func newSweepTask() *sweepTask {
	t := &sweepTask{}
	t.options, t.simulate, t.track, t.score = bindRun()
	t.options = slices.DeleteFunc(t.options, func(o option) bool { return slices.Contains(unswept, o.name) })
	return t
}

// readSweep reads the file at path. Everything in it is checked: a key or value that
// is not one of mtt run's is a usage error that names it.
func readSweep(path string, seed uint64) (*sweepPlan, error) {
	tree, meta, err := decodeTOML(path, "")
	if err != nil {
		return nil, err
	}
	p := &sweepPlan{Version: version, First: seed, Seeds: 1}
	known := append(names(newSweepTask().options), "seeds")
	for _, key := range meta.Keys() {
		name := key.String()
		if len(key) > 1 || meta.Type(name) == "Hash" {
			return nil, usagef("%s: %s is a table; write options of mtt run at the top of the file", path, key[0])
		}
		if name == "seeds" {
			n, ok := tree[name].(int64)
			if !ok || n < 1 || n > 1e9 {
				return nil, usagef("%s: seeds is no whole number from 1 on", path).
					hinted("seeds = 20 takes twenty of them, from --seed on")
			}
			p.Seeds = int(n)
			continue
		}
		if !slices.Contains(known, name) {
			return nil, misspelt(path, name, known)
		}
		list, isList := tree[name].([]any)
		if !isList {
			list = []any{tree[name]}
		}
		axis := sweepAxis{Name: name}
		for _, v := range list {
			file := configuration{path: path, values: make(map[string]string)}
			if err := file.take(name, v); err != nil {
				return nil, err
			}
			axis.Values = append(axis.Values, file.values[name])
		}
		switch {
		case len(list) == 0:
			return nil, usagef("%s: %s has no value", path, name)
		case isList:
			p.Axes = append(p.Axes, axis)
		default:
			p.Fixed = append(p.Fixed, axis)
		}
	}
	return p, p.check(path)
}

// check sets up every combination once.
func (p *sweepPlan) check(path string) error {
	if p.tasks() > 1e9 {
		return usagef("%s: %d tasks are too many", path, p.tasks())
	}
	for c := range p.cases() {
		t, err := p.task(c * p.Seeds)
		if err == nil {
			_, err = t.simulate.config(p.First)
		}
		if err == nil {
			_, err = t.track.association(&runfolder.Scans{}, 1)
		}
		if err != nil {
			return usagef("%s: %w", path, err).hinted("%s", hintOf(err))
		}
	}
	return nil
}

// cases is the number of combinations.
func (p *sweepPlan) cases() int {
	n := 1
	for _, a := range p.Axes {
		n *= len(a.Values)
	}
	return n
}

// tasks is the number of scenes.
func (p *sweepPlan) tasks() int { return p.cases() * p.Seeds }

// values are those of combination c, in the order of the axes.
func (p *sweepPlan) values(c int) []string {
	values := make([]string, len(p.Axes))
	for i, a := range slices.Backward(p.Axes) {
		values[i] = a.Values[c%len(a.Values)]
		c /= len(a.Values)
	}
	return values
}

// axisFields are the values of combination c for printing.
func (p *sweepPlan) axisFields(c int) record {
	var r record
	for k, text := range p.values(c) {
		if x, err := parseNumber[float64](text); err == nil {
			r.add(p.Axes[k].Name, x)
		} else {
			r.add(p.Axes[k].Name, text)
		}
	}
	return r
}

// task prepares task i.
func (p *sweepPlan) task(i int) (*sweepTask, error) {
	t := newSweepTask()
	set := func(name, value string) error {
		if err := find(t.options, name).set(value); err != nil {
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
func (p *sweepPlan) seed(i int) uint64 { return p.First + uint64(i%p.Seeds) }

// line is the plan on one line; equal plans have equal lines.
func (p *sweepPlan) line() string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers are always valid JSON
	}
	return string(b)
}
