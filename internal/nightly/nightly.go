// Package nightly says how much a test does. By day, in go test ./..., it tests each
// behaviour once, on a scene as small as shows it; at night, where the environment variable
// MTT_NIGHTLY is set, it tests with more scenes, larger ones and other seeds.
package nightly

import (
	"os"
	"strconv"
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

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
