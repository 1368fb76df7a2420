// Package nightly says how much a test does. By day, in go test ./..., it tests each
// behaviour once, on a scene as small as shows it; at night, where the environment variable
// MTT_NIGHTLY is set, it tests with more scenes, larger ones and other seeds.
package nightly

import "os"

// Is reports whether MTT_NIGHTLY is set.
func Is() bool { return os.Getenv("MTT_NIGHTLY") != "" }

// Or returns night where MTT_NIGHTLY is set, and day where it is not.
func Or[T any](day, night T) T {
	if Is() {
		return night
	}
	return day
}
