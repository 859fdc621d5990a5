# What runs of clusters keep for one another, and what they believe of it.

load common

two() {
    cat >two.yaml <<'E'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 1MB, threshold: 100KB}}
record: none
cluster:
  arrivals: [{template: a, at: 0s}, {template: a, at: 1ms}, {template: b, at: 2ms}]
  placement: spread
  replications: 0
  jobs:
  - {name: a, gpus: 2, iterations: 40, program: [{compute: 1ms}, {all-reduce: {size: 1MB}}]}
  - {name: b, gpus: 4, iterations: 30, program: [{compute: 2ms}, {all-reduce: {size: 2MB}}]}
E
}

# what FILE: all but what a run cost, and what came from where.
what() {
    jq 'del(.wall, .basis.simulated, .basis.remembered, .basis.from_cache,
               .basis.cache, .basis.cache_damaged, .basis.packet_hops,
               .basis.iterations_simulated, .basis.iterations_inferred)' "$1"
}

run_two() { # NAME [ARGUMENT]...
    orrery run two.yaml --json "$1.json" "${@:2}"
    [ "$status" -eq 0 ]
}

@test "the summary says what came from the cache, and where that is" {
    two
    export ORRERY_CACHE=$PWD/cache
    run_two first
    ! grep -q 'by another run' ../out || return 1
    jq -e '.basis.from_cache == 0 and .basis.cache_damaged == 0' first.json
    file=$(jq -r .basis.cache first.json)
    [ "$file" = "$(ls "$PWD"/cache/cluster-*)" ]
    run_two again
    jq -e '.basis.simulated == 0 and .basis.from_cache > 0 and
           .basis.from_cache == .basis.remembered' again.json
    n=$(jq .basis.from_cache again.json)
    grep -qx " *$n of these by another run: $file" ../out
    is_text <(what again.json) "$(what first.json)"
}

@test "whatever is changed in the cache, a run is as it was, and says so" {
    two
    export ORRERY_CACHE=$PWD/cache
    run_two first
    file=$(jq -r .basis.cache first.json)
    cp "$file" whole
    size=$(stat -c %s whole)
    for ((at = 1; at < size; at += size / 12)); do
        # a byte that is another one, and no end of a line
        cp whole "$file"
        old=$(dd if=whole bs=1 skip=$at count=1 2>/dev/null)
        [ -n "$old" ] || continue
        new=1
        [ "$old" != 1 ] || new=2
        printf %s "$new" | dd of="$file" bs=1 seek=$at conv=notrunc 2>/dev/null
        run_two damaged
        is_text <(what damaged.json) "$(what first.json)"
        jq -e '.basis.cache_damaged == 1' damaged.json
        grep -qx "note  *1 damaged entry of $file left out and simulated again" \
            <(unwrapped ../out)
    done
    # found out anew, and kept: the next run has all
    run_two healed
    jq -e '.basis.simulated == 0' healed.json
}

@test "without a cache nothing is read, nothing kept" {
    two
    export ORRERY_CACHE=$PWD/cache
    run_two first
    cp -r cache before
    run_two without --no-cache
    jq -e '.basis.simulated > 0 and .basis.from_cache == 0 and
           .basis.cache == null' without.json
    is_text <(what without.json) "$(what first.json)"
    diff -r cache before
    rm -r cache
    run_two without --no-cache
    [ ! -e cache ]
    HOME=$PWD/home XDG_CACHE_HOME='' ORRERY_CACHE='' run_two empty
    jq -e '.basis.cache == null' empty.json
    [ ! -e home ]
    orrery compare two.yaml --over seed=1,2 -o study --no-cache
    [ "$status" -eq 0 ] || cat ../err
    orrery explain two.yaml --no-cache
    [ ! -e cache ]
}

@test "times alone are kept with a check sum as well" {
    cat >ideal.yaml <<'E'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
record: none
alone: true
jobs:
- {ranks: 2, iterations: 3, program: [{compute: 10us}, {all-reduce: {size: 100KB}}]}
- {ranks: 2, iterations: 3, program: [{all-reduce: {size: 100KB}}]}
E
    export ORRERY_CACHE=$PWD/cache
    orrery run ideal.yaml -q --json first.json
    [ "$status" -eq 0 ]
    file=$(ls cache/alone-*)
    jq 'del(.wall)' first.json >first
    sed -i '2s/1/2/; 2s/4/5/; 2s/6/8/' "$file"
    orrery run ideal.yaml -q --json again.json
    is_text <(jq 'del(.wall)' again.json) "$(cat first)"
}
