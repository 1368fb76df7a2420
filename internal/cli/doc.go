// Package cli is the frame of a program of subcommands: options bound to fields, which
// the command line, the environment and a configuration file set; help, hints and
// completion; exit statuses; results as text, JSON or CSV; progress on a terminal.
//
// It knows no word of what the program is about. An [App] lists its [Command]s; a
// Command binds its [Option]s and runs in a [Session], where it prints [Record]s.
package cli
