#!/usr/bin/env bats
# The examples of docs/compare.md run as they stand.

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    ORRERY=$(realpath "${ORRERY:-$root/build/orrery}")
    page=$root/docs/compare.md
    mkdir -p "$BATS_TEST_TMPDIR/work" "$BATS_TEST_TMPDIR/bin"
    cd "$BATS_TEST_TMPDIR/work" || return 1
    ln -sf "$ORRERY" "$BATS_TEST_TMPDIR/bin/orrery"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    cat >study.yaml <<'TEXT'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
flows: [{generate: permutation, size: 20KB}]
compare:
  over:
    network.mtu: [1KB, 4KB]
  seeds: 1..3
  keep: false
TEXT
    orrery compare study.yaml -q -o reference
}

# The fenced block that holds a pattern.
block() {
    awk -v want="$1" '
        /^```/ { if (on && found) { printf "%s", text; exit }
                 on = !on; text = ""; found = 0; next }
        on { text = text $0 "\n"; if ($0 ~ want) found = 1 }' "$page"
}

same_tables() {
    for file in table.csv table.md study.json study.h5; do
        cmp "reference/$file" "study/$file"
    done
}

@test "the study of the first page is one that orrery reads" {
    {
        echo 'jobs: [{ranks: 64, program: [all-reduce: {size: 64KiB}]}]'
        echo 'flows: [{generate: permutation, size: 4KB}]'
        block '^# an ordinary configuration'
    } >first.yaml
    sed -i 's/^  seeds: .*/  seeds: 1..2/' first.yaml
    orrery compare first.yaml -o first -q
    # two topologies, two placements, two controls, without one of each torus
    [ "$(jq '.cells | length' first/study.json)" -eq 6 ]
}

@test "GNU parallel" {
    block '[|] parallel' >example.sh
    command -v parallel >/dev/null || # it takes a command a line
        printf '#!/bin/sh\nwhile read -r line; do sh -c "$line" || exit; done\n' \
            >"$BATS_TEST_TMPDIR/bin/parallel"
    chmod +x "$BATS_TEST_TMPDIR"/bin/*
    sh -e example.sh >out
    same_tables
}

@test "Slurm's array variables" {
    block '^#SBATCH' >task.sh
    for task in 1 2 3 4; do
        SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=4 sh -e task.sh
    done
    orrery compare study.yaml -o study --collect -q
    same_tables
}

@test "Snakemake" {
    block '^rule tables' >Snakefile
    if command -v snakemake >/dev/null; then
        snakemake --cores 2 -q
    else # its commands, with the wildcards filled in
        for i in 1 2 3 4; do
            eval "$(sed -n 's/^ *shell: "\(.*shard.*\)"$/\1/p' Snakefile |
                sed "s/{wildcards.i}/$i/")"
        done
        eval "$(sed -n 's/^ *shell: "\(.*collect.*\)"$/\1/p' Snakefile)" >out
    fi
    same_tables
}
