// Package pmbm tracks targets online with the Poisson multi-Bernoulli mixture
// filter: births, deaths, missed detections and false alarms, with probabilities
// for all of it.
//
//	f, err := pmbm.New(&pmbm.Options{Model: pmbm.Model{Sigma: 1, Volume: 90000, …}})
//	for i := range scans {
//		err := f.Step(ctx, &scans[i])
//		for _, e := range f.Estimates() { … }
//	}
//	tracks := f.Tracks()
//
// # Model
//
// Targets appear as a Poisson process, move independently, live on from scan to
// scan with probability Survive and are detected with probability Detect, each by
// one detection at most; false alarms are a Poisson process of uniform density.
// For this model the posterior of the set of targets is exactly [1, 2]
//
//   - a Poisson process of targets that were never detected, here a Gaussian
//     mixture, together with
//   - a mixture of multi-Bernoullis of targets that were: every detection begins a
//     potential target (a track), which exists with probability r and then has a
//     Gaussian state. A local hypothesis of a track says which detections were
//     its own; a global hypothesis picks a local one for each track, no
//     detection twice, and has a weight.
//
// # Method
//
// A step predicts, lists the detections inside the ellipsoidal gate of each local
// hypothesis by cell lists, and makes, for every global hypothesis p, an
// assignment problem: rows are detections, columns are tracks, an entry costs
//
//	−log( r·Detect·N(z; ẑ, S) / (1 − r·Detect) ),
//
// and a row that stays free, whose detection is a new target or a false alarm,
// costs −log(ρ + λ): ρ is the intensity of detections of new targets, λ that of
// false alarms. Package [mtt/mapsolver/murty] ranks the assignments; the best
// ⌈Hypotheses·W_p⌉ become global hypotheses of the next scan. What is unlikely is
// pruned, equal hypotheses are merged, tracks that hardly exist may be recycled
// into the Poisson process [3].
//
// # Clusters
//
// Tracks that compete for no detection are independent: the sum over global
// hypotheses is a product of sums. So the filter keeps a table of global
// hypotheses for each cluster of tracks, and Hypotheses counts for each of them.
// Two clusters are joined when a detection lies in gates of both: their table is
// the product of the two. A cluster falls apart when its table is a product
// again, within SplitTolerance in total variation. Neither changes a posterior
// beyond that tolerance and the truncation to Hypotheses rows; two clusters of
// 200 rows stand for 40,000 rows of one table.
//
// In crowds everything competes with everything, and no table holds what that
// asks for: there unlikely links are cut first, see Options.Crowd. And hypotheses
// that have come to say the same are merged, see Options.MergeDistance, so that
// what is kept does not grow with time. Options.Whole does none of this and keeps
// one table of everything, as the filter was published.
//
// [1] J. L. Williams. Marginal multi-Bernoulli filters: RFS derivation of MHT,
// JIPDA, and association-based MeMBer. IEEE Trans. Aerosp. Electron. Syst. 51
// (2015), 1664–1687.
//
// [2] Á. F. García-Fernández, J. L. Williams, K. Granström, L. Svensson. Poisson
// multi-Bernoulli mixture filter: direct derivation and implementation. IEEE
// Trans. Aerosp. Electron. Syst. 54 (2018), 1883–1901.
//
// [3] J. L. Williams. Hybrid Poisson and multi-Bernoulli filters. FUSION 2012.
package pmbm
