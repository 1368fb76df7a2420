// Package task holds the steps of which commands are made: a scene is simulated or
// imported into a run folder, priced, tracked, filtered, scored and drawn.
//
// Each step has a struct of options with a method Bind that makes the options of the
// command line, a function that takes it, and a record of what there is to say. The
// commands of cmd/mtt, and sweeps, put steps together; nothing here knows which.
package task
