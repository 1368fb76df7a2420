// Package pool puts several processes behind the one worker that a runner of Apache Beam
// asks for.
//
// Prism, the runner that Beam embeds in a Go program, asks for one worker, hands it a stage's
// elements in one bundle, and gives up when that worker dies. A [Pool] is that worker, by Beam's
// Fn API, and shares its bundles among processes that speak the same API:
//
//	runner ── bundle of n elements ──► Pool ── chunks of a few ──► process 1 … process k
//
// What a runner may do with any bundle, the pool does with chunks: elements of a bundle are
// independent, so it is cut between them; what a chunk puts out counts when the whole chunk is
// done, and not before; a chunk whose process dies is handed to another process, and the process
// is started anew. So a death costs the work on one chunk, and changes nothing in the output,
// which is put together in the order of the chunks.
//
// Bundles with timers, user state or side inputs are refused: nothing here needs them. Metrics of
// the processes are not passed on.
//
// References: Apache Beam, "Beam Fn API: how a runner and an SDK harness talk", beam_fn_api.proto
// (v1); Dean and Ghemawat, "MapReduce", OSDI 2004, section 3.3 for doing again what a dead worker did.
package pool
