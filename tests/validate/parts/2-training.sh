# Training that was measured.
# shellcheck shell=bash

# Four workers training VGG-11 (CS744, 2025): seconds an iteration; what node 0
# sent in an epoch of 196 iterations, 10.15 GB counted as 2^30.
training() {
    local together apart sent busiest
    heading 'CS744, four workers'
    simulate configs/seeds/cs744_allreduce.yaml
    together=$(json '.jobs[0].iteration_ns.mean / 1e9')
    sent=$(json ".jobs[0] | .bytes_sent / .ranks / (.iterations | length)")
    busiest=$(json .links.busiest[0].bytes)
    simulate configs/seeds/cs744_gather_scatter.yaml
    apart=$(json '.jobs[0].iteration_ns.mean / 1e9')
    row 'all-reduce: payload a node and iteration' "$sent" \
        "$(awk 'BEGIN { print 10.15 * 2 ^ 30 / 196 }')" 3% B
    row 'gather-scatter: its busiest link carries more (1: yes)' \
        "$(json "if .links.busiest[0].bytes > $busiest then 1 else 0 end")" 1 0
    row 'gather-scatter is slower than all-reduce (1: yes)' \
        "$(awk "BEGIN { print ($apart > $together) }")" 1 0
}

training
