package trackgraph

// Clusters sets how large problems are raised by how small ones, until restore is called.
func Clusters(large, ports int) (restore func()) {
	l, p := largeProblem, clusterPorts
	largeProblem, clusterPorts = large, ports
	return func() { largeProblem, clusterPorts = l, p }
}
