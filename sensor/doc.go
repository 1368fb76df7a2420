// Package sensor turns what sensors report into what trackers read, and says what a
// sensor is to a tracker.
//
// A detection of this module is a position and, where it is measured, a velocity, in
// Cartesian coordinates, each with the covariance of its noise. What a sensor reports
// in other coordinates is converted at the door, by a [Converter]:
//
//   - [Position]: coordinates, with velocities and a deviation of each where they are told;
//   - [Polar]: range, bearing, elevation and range rate, seen from a stated place;
//   - [Geographic]: latitude, longitude and height;
//   - [Boxes]: corners or sides of boxes in pictures, with confidences.
//
// A [Sensor] adds what a tracker has to know of it besides: where it is, what it sees,
// how much of that it detects and how often it raises a false alarm. Scans say which
// sensor made them in mtt.Scan.Sensor, the index in a list of sensors.
//
// # A sensor of one's own
//
// Implement [Converter], which is two methods, in a file of its own. To have the command
// know it by name, add a line to the table in kinds.go.
package sensor
