/* Every format of flow files: file and symbol, name in `flows[].format`, and
 * what it is in one sentence. No include guard: included once for each use. */
ORR_FLOW_FORMAT(list, "list",
                "Lines `src dst bytes [start]`; bytes may have a unit, start "
                "must; # begins a comment.")
ORR_FLOW_FORMAT(csv, "csv",
                "Comma-separated time, src, dst, bytes, or the columns that "
                "the first line names.")
ORR_FLOW_FORMAT(hpcc, "hpcc",
                "flow.txt of HPCC and of the ns-3 backends made from it: "
                "src, dst, priority group, port, bytes, start in seconds.")
ORR_FLOW_FORMAT(htsim, "htsim",
                "htsim's connection matrix (.cm) with its triggers; starts "
                "are picoseconds.")
