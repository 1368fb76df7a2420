//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package runfolder

// This file stands in for locks where the system has none that end with their process.

import "os"

// lockFile lets everybody in.
func lockFile(*os.File) error { return nil }
