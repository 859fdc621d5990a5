#!/usr/bin/env bats
# Jobs that serve requests: what is decided does not depend on threads, where
# parts of the job are, and what is refused.

load common

# job SERVE [MORE]: five ranks, three of which read prompts
job() {
    cat >job.yaml <<END
topology: {kind: switch, hosts: 5, link: {rate: 100Gbps, delay: 500ns}}
network: {mtu: 4096B, header: 0B, queue: {kind: droptail, capacity: 64MiB}}
record: none
jobs:
  - ranks: 5
    serve:
      kv: 1001B
      prefill: {ranks: 3, token: 1us, all_reduce: 1KiB}
      decode: {ranks: 2, step: 100us, token: 5us, cached: 10ns, all_reduce: 1KiB, most: 4}
$1
END
}
drawn='      rate: 20000
      requests: 40
      prompt: {mean: 100}
      output: {min: 1, max: 9}'

@test "threads change nothing, the order of serving does" {
    job "$drawn"
    for n in 1 3; do
        orrery run job.yaml -q --threads $n --json $n.json
        [ "$status" -eq 0 ] || { cat ../err; return 1; }
        jq '{fingerprint, s: .jobs[0].serve}' $n.json >$n
    done
    cmp 1 3
    jq -e '.jobs[0].serve | .completed == 40 and .decode_batch <= 4
        and .prefill_steps == 40
        and ([.request_list[] | select(.output > 1)
              | .kv_ready_ns > .first_token_ns
                and .last_token_ns > .kv_ready_ns] | all)' 1.json
    orrery run job.yaml -q --set jobs[0].serve.batch=static --json s.json
    [ "$(jq .jobs[0].serve.e2e_ns.mean s.json)" != \
        "$(jq .jobs[0].serve.e2e_ns.mean 1.json)" ]
    # all ranks on one host: nothing crosses the network
    orrery run job.yaml -q --set 'jobs[0].placement=[0,0,0,0,0]' --json l.json
    jq -e '.jobs[0] | .bytes_sent == 0 and .serve.completed == 40' l.json
}

@test "a run that is stopped says how far it is" {
    job "$drawn"
    orrery run job.yaml --set stop=1ms --json p.json
    [ "$status" -eq 0 ]
    grep -qE ' of 40 served|none of 40 served' ../out
    jq -e '.jobs[0].finish_ns == null and .jobs[0].serve.completed < 40' p.json
}

# refused LINES MESSAGE
refused() {
    job "$1"
    orrery check job.yaml
    [ "$status" -eq 2 ] && grep -qF "$2" ../err || { cat ../err; return 1; }
}

@test "requests that cannot be served" {
    refused '      requests: 3' 'serve.rate is missing'
    refused '      rate: 1' 'serve.prompt is missing'
    refused '      {rate: 0, prompt: 1, output: 1}' 'job.yaml:10'
    refused "${drawn/20000/nan}" 'serve.rate: "nan"'
    refused "${drawn/\{mean: 100\}/0}" 'serve.prompt: a number of tokens'
    refused "${drawn/min: 1/min: 10}" "serve.output: either \`min\` and"
    refused "$drawn
    overlap: 2" 'overlap: not of a job that serves requests'
    refused "$drawn
    start: {at: 0s, skew: {kind: uniform, spread: 1us}}" 'start: not of a job that'
    job "$drawn"
    orrery check job.yaml --set jobs[0].ranks=4 || true
    orrery run job.yaml --set jobs[0].ranks=4
    grep -qF 'serve: prefill and decode have 5 ranks, and the job has 4' ../err
    printf '1, 2, 3\n0.5, 2, 3\n' >r.csv
    refused '      arrivals: r.csv' 'r.csv:2:1: it is before the request above'
    printf '1, 2\n' >r.csv
    refused '      arrivals: r.csv' 'r.csv:1:5: a line is: seconds, tokens'
    printf '1, 0, 3\n' >r.csv
    refused '      arrivals: r.csv' 'r.csv:1:4: a number of tokens must be'
    : >r.csv
    refused '      arrivals: r.csv' 'there is no request in it'
    refused '      arrivals: none.csv' 'cannot read none.csv'
    job "$drawn"
    orrery explain job.yaml
    [ "$status" -eq 2 ]
    grep -qF 'serves requests, and has no iterations' ../err
}
