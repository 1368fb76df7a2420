// Package chain holds the links between detections that the parts of package
// association hand to each other: which detection follows which.
package chain
