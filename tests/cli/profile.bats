#!/usr/bin/env bats
# Profiles: what a job asks of each link, measured.

load common

config() {
    cat >a.yaml <<END
topology:
  kind: dumbbell
  left: 2
  right: 2
  link: {rate: 50Gbps, delay: 1us}
  bottleneck: {rate: 25Gbps, delay: 1us}
network: {mtu: 4096B, cc: none, window: 64}
schedule: fair
jobs:
  - name: first
    ranks: 2
    placement: [0, 2]
    iterations: 20
    gate: {period: 10ms}
    program:
      - compute: 1ms
      - send: {from: 0, to: 1, size: 3125KB}
      - compute: 1ms
  - {name: second, ranks: 2, placement: [1, 3], program: [all-reduce: {size: 1MB}]}
flows: [{src: 1, dst: 2, size: 10MB}]
END
}

@test "profile: phases of each link, of the job alone" {
    config
    orrery profile a.yaml --job first
    [ "$status" -eq 0 ]
    grep -q '^job: "first"' ../out
    # rank 0 sends for 1 ms at the rate of the link between; three links
    python3 - <<'END'
import re
text = open('../out').read()
assert text.count('{from:') == 3, text
phases = re.findall(r'at: (\d+)ps, for: (\d+)ps, rate: (\d+)bps', text)
assert 3 <= len(phases) <= 6, text
for link in text.split('{from:')[1:]:
    bits = sum(int(f) * int(r) * 1e-12
               for a, f, r in re.findall(r'at: (\d+)ps, for: (\d+)ps, '
                                         r'rate: (\d+)bps', link))
    assert abs(bits / 25e6 - 1) < 0.005, link
END
    grep -q '^compute: 2ms' ../out
    grep -q 'first: .* an iteration, computing for' ../err
}

@test "profile: files, YAML and HDF5; the same with threads" {
    config
    orrery profile a.yaml --job second -o b.yaml
    [ "$status" -eq 0 ]
    [ ! -s ../out ]
    grep -q '^job: "second"' b.yaml
    orrery profile a.yaml --job second --threads 2
    diff ../out b.yaml
    orrery profile a.yaml --job second -o b.h5
    [ "$status" -eq 0 ]
    h5dump -d /links/peak b.h5 >/dev/null
    h5dump -a /job b.h5 | grep -q second
    ls | diff - <(printf 'a.yaml\nb.h5\nb.yaml\n')
}

@test "profile: HDF5 is given back as YAML is" {
    config
    orrery profile a.yaml --job second -o b.yaml
    orrery profile a.yaml --job second -o b.h5
    orrery plan a.yaml --json \
        --set 'schedule={kind: cassini, profiles: {second: b.yaml}}'
    [ "$status" -eq 0 ]
    cp ../out yaml.json
    orrery plan a.yaml --json \
        --set 'schedule={kind: cassini, profiles: {second: b.h5}}'
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    diff yaml.json ../out
    jq -e '.jobs[1].profile == "given"' yaml.json

    printf 'no HDF5' >bad.h5
    orrery plan a.yaml \
        --set 'schedule={kind: cassini, profiles: {second: bad.h5}}'
    [ "$status" -eq 2 ]
    grep -q '^--set schedule:1:36: .*bad.h5' ../err || { cat ../err; return 1; }
    orrery run a.yaml --quiet -o run.h5
    orrery plan a.yaml \
        --set 'schedule={kind: cassini, profiles: {second: run.h5}}'
    [ "$status" -eq 2 ]
    grep -q 'run.h5: this is no profile of `orrery profile`' ../err
    orrery plan a.yaml \
        --set 'topology={kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2, link: {rate: 10Gbps, delay: 1us}}' \
        --set 'schedule={kind: cassini, profiles: {second: b.h5}}'
    [ "$status" -eq 2 ]
    grep -q 'a profile holds for the topology and the placement' ../err
}

@test "profile: HDF5 that was edited is given back" {
    python_has h5py || skip "no python3-h5py"
    config
    orrery profile a.yaml --job second -o b.h5
    orrery plan a.yaml --json \
        --set 'schedule={kind: cassini, profiles: {second: b.h5}}'
    cp ../out before.json
    /usr/bin/python3 - <<'END2'
import h5py
with h5py.File("b.h5", "r+") as f:
    f.attrs["iteration_ps"] = 3 * f.attrs["iteration_ps"]
    f["phases/rate"][:] = f["phases/rate"][:] // 2
END2
    orrery plan a.yaml --json \
        --set 'schedule={kind: cassini, profiles: {second: b.h5}}'
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e --slurpfile b before.json '.jobs[1] as $j | $b[0].jobs[1] as $was
        | ($j.iteration_ns - 3 * $was.iteration_ns | fabs) < 1 and
          $j.busiest_ns / $was.busiest_ns < 0.501' ../out
}

@test "profile: of a job with jitter it is said that it is of one iteration" {
    config
    orrery profile a.yaml --job first
    [ "$(grep -c jitter ../err)" -eq 0 ]
    orrery profile a.yaml --job first \
        --set 'jobs[0].jitter={kind: normal, spread: 0.01}'
    grep -q 'first: its computations have jitter, and this is one iteration' ../err
}

@test "profile: what is wrong with the wish" {
    config
    orrery profile
    fails 2 'orrery profile: which configuration?
hint: `orrery help profile` says how it is used'
    orrery profile a.yaml
    fails 2 'orrery: there are 2 jobs: which of them?'
    orrery profile a.yaml --job third
    fails 2 "orrery: no job is called \"third\"
hint: the first one is called \"first\""
    orrery profile a.yaml --job first --bins 0
    fails 2 'orrery profile: --bins: at least 1
hint: `orrery help profile` says how it is used'
    orrery profile a.yaml --job first -o /nowhere/b.h5
    [ "$status" -ne 0 ]
    grep -q /nowhere ../err
}
