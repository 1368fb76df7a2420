// Package version names the version of the program, and the revision it was built from.
package version

import (
	"runtime/debug"
)

// Version is the version of the program; between releases it names the next one.
const Version = "0.2.0-dev"

// Revision is the commit that the program was built from, "-dirty" appended when
// it had changes, or "unknown".
func Revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, dirty := "unknown", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			commit = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			dirty = "-dirty"
		}
	}
	return commit + dirty
}
