// Command mtt simulates, imports, tracks and scores many targets at once.
//
// Usage:
//
//	mtt COMMAND [options] [arguments]
//
// Options may stand before or after the command and its arguments. Each of them
// can also come from an environment variable (--max-rounds from MTT_MAX_ROUNDS)
// or from a TOML file named by --config; the order of precedence is option,
// environment, file, default.
//
// Results go to standard output, everything else to standard error. With
// --format json a command prints one JSON object on one line for each of its
// inputs. The exit status is 0 when done, 1 after a failure, 2 for bad usage or
// bad input, 3 when a problem has no feasible answer and 130 when interrupted;
// of several inputs the worst one decides, and the others are still done.
//
// One file of this package holds one subcommand: its options, their flags, and
// a function runX that does the work with the library. The file app.go is the
// only one that knows the command-line package.
package main
