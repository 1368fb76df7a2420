// Package nightly says how much a test does. By day, in go test ./..., it tests each
// behaviour once, on a scene as small as shows it; at night, where the environment variable
// MTT_NIGHTLY is set, it tests with more scenes, larger ones and other seeds.
package nightly

import (
	"iter"
	"math"
	"os"
	"strconv"
	"time"
)

// Is reports whether MTT_NIGHTLY is set.
func Is() bool { return os.Getenv("MTT_NIGHTLY") != "" }

// Or returns night where MTT_NIGHTLY is set, and day where it is not.
func Or[T any](day, night T) T {
	if Is() {
		return night
	}
	return day
}

// Trials returns MTT_TRIALS, by day too, and otherwise where that is not a number: how many random problems,
// forgeries or kills a test takes.
func Trials(otherwise int) int { return number("MTT_TRIALS", otherwise) }

// Seed returns MTT_SEED, and otherwise where that is not a number: a night with another seed has other
// problems. Tests print it.
func Seed(otherwise int) int { return number("MTT_SEED", otherwise) }

// A Clock ends what a test repeats when the time of it, MTT_TIME, is over.
type Clock struct{ began time.Time }

// Start starts the clock of a test.
func Start() Clock { return Clock{time.Now()} }

// Rounds counts from 0 what a test repeats in the given one of so many parts that follow one
// another, the first of which is 0: so many trials; but where MTT_TIME is set, a number of seconds,
// as many as begin in it, one at least, and no more than trials where MTT_TRIALS is set as well.
// Each part ends when its share of the time is over, whatever those before it took.
func (c Clock) Rounds(trials, part, of int) iter.Seq[int] {
	seconds, most := number("MTT_TIME", 0), trials
	if seconds > 0 && os.Getenv("MTT_TRIALS") == "" {
		most = math.MaxInt
	}
	end := c.began.Add(time.Duration(seconds) * time.Second * time.Duration(part+1) / time.Duration(of))
	return func(yield func(int) bool) {
		for k := 0; k < most && (k == 0 || seconds <= 0 || time.Now().Before(end)); k++ {
			if !yield(k) {
				return
			}
		}
	}
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
