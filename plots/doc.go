// Package plots draws the figures of a run: detections and tracks, bounds
// against passes, score against gate or noise, GOSPA over time, speedups, growth
// of counts with size.
//
// Each function takes plain data and returns a [Figure]: a title, a note, a
// legend and one or more *plot.Plot panels (gonum.org/v1/plot) stacked on a
// shared x axis. Panels are ordinary plots, so a caller may restyle them before
// writing the figure with [Save] or [Figure.Encode]. The house style is in one
// file, style.go.
//
// What all figures keep:
//
//   - legends stand above the panels and never cover data;
//   - axis labels name the unit, the title names the scene and the figure's
//     headline number, the note says what was left out;
//   - points that are not finite are skipped, they are how a series says "not
//     known yet"; a figure without any point says "no data";
//   - a zero on a logarithmic axis is drawn on a line of its own, labelled 0;
//   - equal input gives equal bytes.
//
// SVG is the format to prefer: it is small and takes milliseconds. PNG takes
// about a hundred times as long.
package plots
