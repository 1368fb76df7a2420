// Package reproduce repeats tables and figures of the source papers. What they published
// lies in the folder published. A new one is a function, and an entry in [All].
package reproduce
