package metrics

// This file lists the values of a report in a fixed order, so that tables,
// files and documentation agree.

// A Row is one value of a report.
type Row struct {
	Key     string  // as in JSON
	Value   float64 // counts are exact
	Unit    string  // "%", "" for counts; for distances "1-iou" or "pos", the unit of Pos
	Better  string  // "higher", "lower" or "" for neither
	Meaning string  // one line
}

// Count is whether the value is a whole number.
func (r *Row) Count() bool { return r.Unit == "" }

const (
	higher = "higher"
	lower  = "lower"
)

// Rows lists the values of r that its groups hold, most important first within
// a group; the order never changes.
func (r *Report) Rows() []Row {
	unit := "pos"
	if r.Measure == byIoU {
		unit = byIoU
	}
	var rows []Row
	value := func(key string, v float64, unit, better, meaning string) {
		rows = append(rows, Row{key, v, unit, better, meaning})
	}
	count := func(key string, n int, better, meaning string) {
		value(key, float64(n), "", better, meaning)
	}
	if l := r.LinkScores; l != nil {
		value("itcp", l.ITCP, "%", lower, "true trajectories with a wrong or missing link or a shared track")
		value("mmep", l.MMEP, "%", lower, "true links that are wrong or missing")
		count("false_links", l.FalseLinks, lower, "track links between different targets or with clutter")
		count("true_links", l.TrueLinks, "", "links between consecutive detections of a target")
		count("wrong_links", l.WrongLinks, lower, "true links whose track goes on elsewhere")
		count("missing_links", l.MissingLinks, lower, "true links whose track ends or never was")
		count("track_links", l.TrackLinks, "", "links of the tracks")
		count("link_targets", l.LinkTargets, "", "true trajectories with a detection")
		count("bad_targets", l.BadTargets, lower, "of these, not perfect (itcp)")
	}
	if d := r.DivisionScores; d != nil {
		value("division_precision", d.DivisionPrecision, "%", higher, "divisions of the tracks that are right")
		value("division_recall", d.DivisionRecall, "%", higher, "true divisions that are found")
		value("bc0", d.BC0, "%", higher, "branching correctness: F1 of divisions, to the frame")
		value("bc1", d.BC1, "%", higher, "the same within one frame")
		value("bc2", d.BC2, "%", higher, "within two")
		value("bc3", d.BC3, "%", higher, "within three")
		count("true_divisions", d.TrueDivisions, "", "targets that divide")
		count("track_divisions", d.TrackDivisions, "", "tracks that divide")
		value("ct", d.CT, "%", higher, "complete tracks: F1 of tracks that are right from begin to end")
		value("tra", d.TRA, "%", higher, "tracking accuracy of the Cell Tracking Challenge, on points")
		value("det", d.DET, "%", higher, "its detection accuracy")
		value("lnk", d.LNK, "%", higher, "its linking accuracy")
	}
	if c := r.CLEARScores; c != nil {
		value("mota", c.MOTA, "%", higher, "CLEAR MOT accuracy: 100·(1 − (FN+FP+IDSW)/true hits)")
		value("motp", c.MOTP, unit, lower, "CLEAR MOT precision: mean distance of matches")
		value("recall", c.Recall, "%", higher, "true hits that are matched")
		value("precision", c.Precision, "%", higher, "track hits that are matched")
		count("tp", c.Matches, higher, "matches")
		count("fp", c.FP, lower, "track hits without a match")
		count("fn", c.FN, lower, "true hits without a match")
		count("idsw", c.IDSW, lower, "matches with another track than the last time")
		count("frag", c.Frag, lower, "interruptions of matched trajectories")
		count("mt", c.MT, higher, "targets matched in more than 80 % of their frames")
		count("pt", c.PT, "", "targets matched in 20 to 80 % of their frames")
		count("ml", c.ML, lower, "targets matched in less than 20 % of their frames")
	}
	if d := r.IdentityScores; d != nil {
		value("idf1", d.IDF1, "%", higher, "identity F1: hits with the right identity")
		value("idp", d.IDP, "%", higher, "identity precision")
		value("idr", d.IDR, "%", higher, "identity recall")
		count("idtp", d.IDTP, higher, "hits with the right identity")
		count("idfp", d.IDFP, lower, "track hits without")
		count("idfn", d.IDFN, lower, "true hits without")
	}
	if h := r.HOTAScores; h != nil {
		value("hota", h.HOTA, "%", higher, "higher order tracking accuracy, mean over 19 thresholds")
		value("deta", h.DetA, "%", higher, "its detection accuracy")
		value("assa", h.AssA, "%", higher, "its association accuracy")
		value("detre", h.DetRe, "%", higher, "detection recall")
		value("detpr", h.DetPr, "%", higher, "detection precision")
		value("assre", h.AssRe, "%", higher, "association recall")
		value("asspr", h.AssPr, "%", higher, "association precision")
		value("loca", h.LocA, "%", higher, "localisation accuracy: mean similarity of matches")
		value("hota0", h.HOTA0, "%", higher, "HOTA at similarity 0.05")
	}
	if s := r.SetScores; s != nil {
		value("gospa", s.GOSPA, unit, lower, "GOSPA, mean over frames")
		value("gospa_localisation", s.GOSPALocalisation, unit, lower, "its part from the distance of pairs")
		value("gospa_missed", s.GOSPAMissed, unit, lower, "its part from missed targets")
		value("gospa_false", s.GOSPAFalse, unit, lower, "its part from false track hits")
		value("ospa", s.OSPA, unit, lower, "OSPA, mean over frames")
		value("ospa_localisation", s.OSPALocalisation, unit, lower, "its part from the distance of pairs")
		value("ospa_cardinality", s.OSPACardinality, unit, lower, "its part from the difference in number")
	}
	if s := r.TrajectoryScores; s != nil {
		value("tgospa", s.TGOSPA, unit, lower, "trajectory GOSPA, linear programming form")
		value("tgospa_exact", s.TGOSPAExact, unit, lower, "trajectory GOSPA, exact form")
		value("tgospa_localisation", s.TGOSPALocalisation, unit, lower, "its part from the distance of pairs")
		value("tgospa_missed", s.TGOSPAMissed, unit, lower, "its part from missed targets")
		value("tgospa_false", s.TGOSPAFalse, unit, lower, "its part from false track hits")
		value("tgospa_switch", s.TGOSPASwitch, unit, lower, "its part from track switches")
		value("tgospa_switches", s.TGOSPASwitches, "switches", lower, "track switches; a pair's begin or end counts a half")
		value("tgospa_gap", s.TGOSPAGap, "%", lower, "by how much the linear programming form may be less than given; 0 is proof")
		value("tgospa_exact_gap", s.TGOSPAExactGap, "%", lower, "by how much the exact form may be less than given; 0 is proof")
		value("ospa2", s.OSPA2, unit, lower, "OSPA(2), the distance of sets of tracks")
	}
	count("frames", r.Frames, "", "frames with a hit")
	count("targets", r.Targets, "", "true trajectories")
	count("tracks", r.Tracks, "", "tracks")
	count("truth_hits", r.TruthHits, "", "true hits")
	count("track_hits", r.TrackHits, "", "track hits")
	return rows
}
