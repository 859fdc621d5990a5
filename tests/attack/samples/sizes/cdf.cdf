# bytes share
1KB 0.5
20KB 0.9
100KB 1.0
