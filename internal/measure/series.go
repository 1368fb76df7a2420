package measure

// This file sums up values over seeds.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mtt/internal/cli"
)

// A Series collects one value for each seed, NaN where there is none.
type Series []float64

// Average is the mean value.
func (v Series) Average() float64 { return stat.Mean(v, nil) }

// StandardError is that of the mean value; NaN of fewer than two.
func (v Series) StandardError() float64 {
	return stat.StdErr(stat.StdDev(v, nil), float64(len(v)))
}

// Median is the middle value, of an even number the mean of the two in the middle.
func (v Series) Median() float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// Mean is the field of the mean value.
func (v Series) Mean(key string) cli.Field {
	return cli.Field{Key: key, Value: v.Average(), Digits: 3}
}

// Fields are the mean, least and greatest value.
func (v Series) Fields(key string) []cli.Field {
	return []cli.Field{
		v.Mean(key),
		{Key: key + "_min", Value: slices.Min(v), Digits: 3}, {Key: key + "_max", Value: slices.Max(v), Digits: 3},
	}
}

// Bar is the field of a value to reach; 0 is none.
func Bar(key string, v float64) cli.Field {
	f := cli.Field{Key: key + "_bar", Digits: 3}
	if v > 0 {
		f.Value = v
	} else {
		f.Value = math.NaN()
	}
	return f
}
