#!/usr/bin/env bats
# Every file of configs/conformance/ gives the picoseconds of expected.tsv, with
# computed ports and with explicit ones, on one thread and on two, and all four
# runs are the same run: they have the fingerprint kept in tests/golden/.

load common

folder=configs/conformance
golden=tests/golden/fingerprints.tsv

# The rows of expected.tsv that are about one configuration, met by $json.
as_expected() {
    local config filter picoseconds tolerance rows=0
    while IFS=$'\t' read -r config filter picoseconds tolerance; do
        [ "$config" = "$1" ] || continue
        near "(($filter) * 1000 | round)" "$picoseconds" "$tolerance"
        rows=$((rows + 1))
    done <$folder/expected.tsv
    [ $rows -gt 0 ]
}

conforms() {
    local ports threads kept
    kept=$(awk -v f="$folder/$1.yaml" '$1 == f { print $2 }' $golden)
    for ports in computed explicit; do
        for threads in 1 2; do
            simulate "$folder/$1.yaml" --threads $threads \
                --set network.ports=$ports
            as_expected "$1"
            [ "$(jq -r .fingerprint "$json")" = "$kept" ] || {
                echo "$ports ports, $threads threads:" \
                    "$(jq -r .fingerprint "$json"), kept is $kept"
                return 1
            }
        done
    done
}

@test "one flow over six links of a fat-tree" { conforms fat_tree_flow; }
@test "all-reduce round rings of different strides" { conforms strides_all_reduce; }
@test "ring all-reduce, 1 MiB" { conforms ring_1mib; }
@test "ring all-reduce, 64 MiB" { conforms ring_64mib; }
@test "ring all-reduce, both directions" { conforms ring_both_ways; }
@test "ring all-reduce, four chunks" { conforms ring_chunks; }
@test "sixteen to one" { conforms incast_16; }
@test "one packet over k links" { conforms one_packet; }
@test "one packet through a torus" { conforms one_packet_torus; }
@test "two jobs that start together" { conforms jobs_together_2; }
@test "three jobs that start together" { conforms jobs_together_3; }
@test "two jobs, one behind" { conforms jobs_offset; }
@test "iterations that overlap" { conforms overlap; }

@test "every conformance file is expected and tested" {
    for file in "$folder"/*.yaml; do
        name=$(basename "$file" .yaml)
        grep -q "^$name	" $folder/expected.tsv
        grep -q "conforms $name;" "$BATS_TEST_FILENAME"
    done
}
