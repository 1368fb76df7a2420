// Package usage tells how much memory and processor time the process has used.
package usage
