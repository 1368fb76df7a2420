package task

// This file imports real data.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"mtt"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/version"
	"mtt/sensor"
)

// ImportOptions say how to read the files.
type ImportOptions struct {
	dataset.Options
	sensors string // a file that describes them; "": there is one, which sees everything
}

// Bind makes the options that set o.
func (o *ImportOptions) Bind() []cli.Option {
	inf := math.Inf(1)
	o.Overlap = 0.5
	return append(o.BindReading(),
		cli.NumberOr(&o.Every, "every", "auto", 0, 1, inf, "`K`: keep every K-th frame; of times that are not evenly spaced, K seconds make a frame; auto: all, or 10 s of ship reports").Formerly("0", "auto"),
		cli.Number(&o.Noise, "noise", 0, inf, "`SIGMA` of Gaussian noise that is added to each coordinate of a detection, in the unit of the result"),
		cli.Boolean(&o.NoVelocity, "no-velocity", "leave velocities out"),
		cli.Number(&o.Overlap, "overlap", cli.AboveZero, 1, "`SHARE` up to 1, the least overlap of a detected box with its target").Formerly("0", "0.5"),
		cli.NumberOr(&o.Reach, "reach", "none", 0, cli.AboveZero, inf, "`D`, the greatest distance of a detected point from its target, in the unit of the result; none: points are not matched").Formerly("0", "none"),
	)
}

// BindReading makes the options that set what a file means, for commands that read one
// on their way.
func (o *ImportOptions) BindReading() []cli.Option {
	o.Format = "auto"
	formats := []string{"auto"}
	for _, f := range dataset.Formats() {
		formats = append(formats, f.Name)
	}
	return cli.In("OPTIONS FOR FILES", []cli.Option{
		cli.Choice(&o.Format, "as", formats, "`FORMAT` of the files: auto takes the one that fits; 'mtt import --help' lists the others"),
		columnsOption(&o.Columns),
		pairsOption("where", "`COLUMN=WORD,…`: read those rows of a table of which the columns say that, such as video=a.mp4", func(pairs map[string]string) error { o.Where = pairs; return nil },
			func() map[string]string { return o.Where }),
		cli.Text(&o.Units, "units", "`UNIT` of the positions of a table: mm, cm, m, km, ft, mi or nmi become metres, deg are longitudes and latitudes, others stay"),
		cli.NumberOr(&o.DT, "dt", "auto", 0, cli.AboveZero, math.Inf(1), "`T` in s from one frame of the file to the next, or auto: what the file says, or 1").Formerly("0", "auto"),
		imageOption(&o.Image),
		minConfOption(&o.MinConf),
		cli.Boolean(&o.NoIDs, "no-ids", "leave identities out, as if the file had none"),
		cli.Text(&o.sensors, "sensors", "`FILE` with a table [[sensors]] for each of several, of which a column sensor has the number, from 0, or the name: what each sees, how often it detects and errs"),
		placeOption(&o.Sensor),
		sensorNoiseOption(&o.SensorNoise),
		cli.Boolean(&o.Compass, "compass", "bearings of a polar sensor count clockwise from north, the y axis; else from the x axis to the y axis"),
	})
}

// Again makes the options of mtt import with the values of o for defaults.
func (o *ImportOptions) Again() []cli.Option {
	format := o.Format
	options := o.Bind()
	o.Format = format
	return options
}

// pairsOption binds a flag to a list key=value,….
func pairsOption(name, usage string, set func(pairs map[string]string) error, get func() map[string]string) cli.Option {
	return cli.Option{
		Name: name, Usage: usage,
		Set: func(text string) error {
			pairs := make(map[string]string)
			for part := range strings.SplitSeq(text, ",") {
				key, value, ok := strings.Cut(part, "=")
				if text == "" {
					break
				}
				if !ok || key == "" {
					return fmt.Errorf("%q is not of the form a=b,c=d", text)
				}
				pairs[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
			return set(pairs)
		},
		Get: func() any {
			var parts []string
			pairs := get()
			for _, key := range slices.Sorted(maps.Keys(pairs)) {
				parts = append(parts, key+"="+pairs[key])
			}
			return strings.Join(parts, ",")
		},
	}
}

// columnsOption binds the meaning of columns.
func columnsOption(dst *map[string]string) cli.Option {
	return pairsOption("columns", "`ROLE=NAME,…`: which columns of a table, by name or number, are "+strings.Join(dataset.Roles(), ", ")+" (and f2, f3, …: features of targets); ROLE= that none is",
		func(pairs map[string]string) error {
			for role := range pairs {
				if !dataset.IsRole(role) {
					return fmt.Errorf("%q is no role of a column; these are: %s", role, strings.Join(dataset.Roles(), " "))
				}
			}
			*dst = pairs
			return nil
		}, func() map[string]string { return *dst })
}

// minConfOption binds the least confidence of a detection.
func minConfOption(dst **float64) cli.Option {
	return cli.Option{
		Name: "min-conf", Usage: "`C`: leave out detections of a confidence below C; none keeps all",
		Set: func(text string) error {
			if text == "none" {
				*dst = nil
				return nil
			}
			v, err := cli.ParseNumber[float64](text)
			*dst = &v
			return err
		},
		Get: func() any {
			if *dst == nil {
				return "none"
			}
			return **dst
		},
	}
}

// imageOption binds the size of pictures.
func imageOption(dst *[2]int) cli.Option {
	return cli.Option{
		Name: "image", Usage: "`WIDTHxHEIGHT` in pixels of the pictures whose shares labels of YOLO are; empty: what seqinfo.ini says",
		Set: func(text string) error {
			if *dst = [2]int{}; text == "" {
				return nil
			}
			w, h, _ := strings.Cut(strings.ToLower(text), "x")
			for i, word := range []string{w, h} {
				v, err := strconv.Atoi(word)
				if err != nil || v < 1 || v > 1e6 {
					return fmt.Errorf("%q is no size of a picture, such as 1920x1080", text)
				}
				dst[i] = v
			}
			return nil
		},
		Get: func() any {
			if *dst == [2]int{} {
				return ""
			}
			return fmt.Sprintf("%dx%d", dst[0], dst[1])
		},
	}
}

// placeOption binds the place of a polar sensor.
func placeOption(dst *[]float64) cli.Option {
	return cli.Option{
		Name: "sensor", Usage: "`X,Y[,Z]` of the sensor from which ranges and bearings, or positions, are measured; empty for 0,0, or where columns such as own_x, own_y say",
		Set: func(text string) error {
			var place []float64
			for part := range strings.SplitSeq(text, ",") {
				if text == "" {
					break
				}
				v, err := cli.ParseNumber[float64](strings.TrimSpace(part))
				if err != nil {
					return err
				}
				place = append(place, v)
			}
			if n := len(place); n != 0 && n != 2 && n != 3 {
				return fmt.Errorf("%q has %d numbers; a place has 2 or 3", text, n)
			}
			*dst = place
			return nil
		},
		Get: func() any {
			var parts []string
			for _, v := range *dst {
				parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
			}
			return strings.Join(parts, ",")
		},
	}
}

// sensorNoiseOption binds the noise of a polar sensor.
func sensorNoiseOption(dst *map[string]float64) cli.Option {
	return pairsOption("sensor-noise", "`ROLE=SIGMA,…`: standard deviations of range (m), bearing and elevation (rad), range_rate (m/s), and the typical speed of targets (m/s) with it",
		func(pairs map[string]string) error {
			noise := make(map[string]float64)
			for role, word := range pairs {
				v, err := cli.ParseNumber[float64](word)
				if err != nil {
					return err
				}
				if !slices.Contains([]string{"range", "bearing", "elevation", "range_rate", "speed"}, role) || !(v > 0) {
					return fmt.Errorf("%s=%s: wanted is a number above 0 for range, bearing, elevation, range_rate or speed", role, word)
				}
				noise[role] = v
			}
			*dst = noise
			return nil
		}, func() map[string]string {
			pairs := make(map[string]string)
			for role, v := range *dst {
				pairs[role] = strconv.FormatFloat(v, 'g', -1, 64)
			}
			return pairs
		})
}

// unused says which options nothing read of so many files.
func (o *ImportOptions) unused(data *dataset.Data, files int) (all []string) {
	if files < 2 && o.Reach != 0 {
		all = append(all, "--reach has no use without a file of truth beside the detections")
	}
	if files < 2 && o.Overlap != 0 && o.Overlap != 0.5 {
		all = append(all, "--overlap has no use without a file of truth beside the detections")
	}
	if o.Image != [2]int{} && data.Format != "yolo" {
		all = append(all, "--image has no use with "+data.Format+", but with labels of YOLO")
	}
	return append(all, unread(&o.Options, data.Served)...)
}

// unread says which options about a polar sensor nothing was read by.
func unread(o *dataset.Options, by dataset.Served) (all []string) {
	if o.Compass && !by.Compass {
		all = append(all, "--compass has no use where nothing is a bearing or a heading")
	}
	if o.SensorNoise != nil && !by.SensorNoise {
		all = append(all, "--sensor-noise has no use where nothing is a range and a bearing, or a position in m without a covariance")
	}
	if o.Sensor != nil && !by.Sensor {
		all = append(all, "--sensor has no use where nothing was measured from there")
	}
	return all
}

// Import makes a run folder of the files and keeps a copy of the one with the detections in
// it, for mtt export, if it is worth that; nil: it is.
func Import(ctx context.Context, s *cli.Session, c *cli.Command, o *ImportOptions, files []string, worth worth) (*runfolder.Folder, *Scene, *dataset.Data, error) {
	o.Seed = s.Common.Seed
	var sensors []sensor.Sensor
	if o.sensors != "" {
		if err := readSensors(&sensors, o.sensors); err != nil {
			return nil, nil, nil, cli.BadInput(err)
		}
		o.Sensors, o.Described = true, sensors
	}
	for _, name := range files {
		if name == "-" {
			continue
		}
		if isScene(name) {
			continue
		}
		if err := CheckFile(name); err != nil {
			return nil, nil, nil, err
		}
	}
	foreseeFiles(files)
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // long columns without pointers: cheap to look through, dear to keep
	var piped bytes.Buffer
	o.Stdin = io.TeeReader(s.Stdin, &piped)
	data, err := cli.Await(ctx, func() (*dataset.Data, error) { return dataset.Read(files, &o.Options) })
	if err != nil {
		return nil, nil, nil, cli.BadInput(err)
	}
	for _, doubt := range append(data.Doubts, o.unused(data, len(files))...) {
		s.Log.Warn(doubt)
	}
	empty := 0
	for t := range data.Scans {
		if data.Scans[t].Len() == 0 {
			empty++
		}
		if k := data.Scans[t].Sensor; k >= len(sensors) && o.Sensors {
			return nil, nil, nil, cli.BadInput(fmt.Errorf("%s: a scan is of sensor %d, and %s describes %d, from 0", data.File, k, o.sensors, len(sensors)))
		}
	}
	if empty > 0 && o.Sensors {
		data.Notes = append(data.Notes, fmt.Sprintf("frames without rows: %d, whose they are nobody knows: taken for scans of sensor 0 that detected nothing", empty))
	}
	sc := &Scene{Scans: data.Scans, Rows: data.Rows, Truth: data.Truth, input: func(w io.Writer) error {
		if data.File == "-" {
			_, err := w.Write(piped.Bytes())
			return err
		}
		if data.Table != nil {
			_, err := w.Write(data.Table)
			return err
		}
		return writeCopy(w, data.File)
	}}
	if sensors == nil && data.Sensor != nil {
		sensors = []sensor.Sensor{*data.Sensor}
	}
	meta := &runfolder.Meta{
		Version: version.Version, Command: c.Name, Seed: o.Seed, Inputs: files,
		Scans:   scansTable(data, o.Noise),
		Sensors: sensors,
		Options: map[string]map[string]any{c.Name: usedOptions(c)},
	}
	if err := worth.of(sc, meta); err != nil {
		return nil, nil, nil, err
	}
	folder, err := sc.save(ctx, s.OutOr(runfolder.Default), meta)
	return folder, sc, data, err
}

// scansTable is the table [scans] of imported data.
func scansTable(data *dataset.Data, noise float64) runfolder.Scans {
	t := runfolder.Scans{
		Step: 1, Count: len(data.Scans) + len(data.Unseen), Interval: data.Interval, Dim: 2, Unit: data.Unit, UnseenFrames: data.Unseen,
	}
	t.Start, t.Uneven, t.Scale = data.Start, data.Uneven, data.Scale
	if data.Origin != nil {
		t.Origin = data.Origin[:]
	}
	if data.Image[0] > 0 {
		t.Image = data.Image[:]
	}
	listEmpty(&t, data.Scans)
	if noise > 0 {
		t.Noise = &noise
	}
	for i := range data.Scans {
		if d := data.Scans[i].Dim; d != 0 {
			t.Dim = d
			break
		}
	}
	if len(data.Scans) > 0 {
		t.First = data.Scans[0].Frame
	}
	if len(data.Scans) > 1 {
		t.Step = data.Scans[1].Frame - data.Scans[0].Frame
		if len(data.Unseen) > 0 { // the first scan has detections
			t.Step = min(t.Step, data.Unseen[0]-data.Scans[0].Frame)
		}
	}
	return t
}

// listEmpty notes what detections files do not say of scans without detections.
func listEmpty(t *runfolder.Scans, scans []mtt.Scan) {
	empty, by := dataset.EmptyTimes(scans), dataset.EmptySensors(scans)
	for _, frame := range slices.Sorted(maps.Keys(empty)) {
		t.EmptyFrames = append(t.EmptyFrames, frame)
		t.EmptyTimes = append(t.EmptyTimes, empty[frame])
	}
	for _, frame := range slices.Sorted(maps.Keys(by)) {
		t.BlankFrames = append(t.BlankFrames, frame)
		t.BlankSensors = append(t.BlankSensors, by[frame])
	}
}
