// Package certificate reads and writes certificate.bin: everything that is
// needed to check an answer of the multi-frame assignment without the program
// that found it.
//
// A certificate holds the problem (the nodes of each frame, the arcs of each
// gap, all costs), the answer (the chosen arc of each node), the multipliers
// that prove a lower bound, the two bounds that are claimed, and the SHA-256
// sums of the files that it speaks of. docs/certificate.md gives the layout byte
// by byte and the mathematics of the check; docs/certificate.py is a checker of
// a hundred lines; package verify is ours.
//
// # Layout
//
// All numbers are little-endian. The file is the 8 bytes "MTTCERT" and 1, the
// version, followed by sections:
//
//	tag     4 bytes   "head", "node", "gap ", "end "
//	index   uint32    number of the gap; 0 in other sections
//	length  uint64    bytes of payload
//	payload
//	crc     uint32    CRC-32C of tag, index, length and payload
//
// in the order head, node, one gap for each pair of consecutive frames, end.
// Nothing follows. A reader needs the memory of two gaps, however many there
// are.
//
// What is read is not trusted: lengths have limits and must agree with each
// other, memory grows with the bytes that are really there, numbers must be
// finite (a cost may be +Inf where that forbids something) and of magnitude
// [MaxNumber] at most, so that sums of them never overflow. An error names the
// section and the array.
package certificate
