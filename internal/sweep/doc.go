// Package sweep simulates, tracks and scores every combination of options with many
// seeds: a [Plan] read from a file, a [Journal] of finished tasks that outlives an
// interruption, and the [Result] gathered from the journals of all shards.
package sweep
