// Package sensing has only tests: of what [mtt/association] learns of sensors, and of tracks then.
// What it learns of targets is tested beside it; each has the ten minutes of a package of its own.
package sensing
