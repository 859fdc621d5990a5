/* Every format that `orrery convert` reads or writes: file and symbol, name.
 * No include guard: included once for each use. */
ORR_CONVERT(hpcc, "hpcc")
ORR_CONVERT(htsim, "htsim")
ORR_CONVERT(simai, "simai")
ORR_CONVERT(chakra, "chakra")
