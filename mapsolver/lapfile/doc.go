// Package lapfile reads linear assignment problems from the files in which they
// are passed around.
//
//	files, err := lapfile.List("problems.tar.gz")
//	for _, f := range files {
//		p, err := f.Read(&lapfile.Options{})
//		…
//	}
//
// The formats, told apart by their content:
//
//   - tables: one row of costs a line, separated by commas, semicolons, tabs or
//     blanks; lines that begin with # or % are comments;
//   - OR-Library [1], dense: the number n of items, then n·n costs row by row, in
//     lines of any length;
//   - OR-Library, sparse: n, then one line "row column cost" for each allowed
//     pair, counted from 1;
//   - MatrixMarket [2]: coordinate and array; real, integer and pattern (every
//     cost 1); general, and symmetric coordinates;
//   - .npy, the arrays of numpy, with one or two dimensions, and .npz of one array
//     or of a sparse matrix, as scipy.sparse.save_npz writes it;
//   - a corpus (.laps): many problems in one compact file, each with its optimum;
//     see [Writer];
//   - each of the others compressed by gzip or zstd; and archives, .tar and .tar.gz, and
//     folders of all of them, as many problems.
//
// An infinite cost marks a forbidden pair; so does, in coordinates, the absence of
// an entry. A file of zero bytes, or of comments alone, is the problem with no
// rows and no columns. Whatever else is wrong is a [SyntaxError] that names file,
// line and column and the likely mistake.
//
// [1] J. E. Beasley. OR-Library: distributing test problems by electronic mail.
// J. Oper. Res. Soc. 41 (1990), 1069–1072.
//
// [2] R. F. Boisvert, R. Pozo, K. A. Remington. The Matrix Market exchange
// formats: initial design. NISTIR 5935, 1996.
package lapfile
