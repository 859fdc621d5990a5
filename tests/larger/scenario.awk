# scenario.awk -v seed=N: prints a small valid experiment drawn at random over
# topologies, links, queues, transports, controls, routing, flows, jobs and
# collectives. The same seed gives the same one; it runs for about a second.
# The minimal standard generator: the same in every awk.
function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }
function below(n) { return int(draw() * n) }
function among(text,    part, n) { n = split(text, part, " "); return part[1 + below(n)] }
function chance(share) { return draw() < share }
function rate() { return among("100Gbps 400Gbps 10Gbps 25Gbps 333Mbps 7Gbps 50GB/s") }
function delay() { return among("500ns 1us 1ns 37ns 3us 12345ps 20us") }
function size() { return among("0B 1B 1000B 4096B 4097B 10KB 64KiB 100KB 333333B") }

# What differs from `link` on some cables.
function part() {
    if (chance(0.3)) return "{rate: " rate() ", delay: " delay() "}"
    return chance(0.5) ? "{rate: " rate() "}" : "{delay: " delay() "}"
}

function topology(    kind, n, m, k, text) {
    kind = among("ring fully-connected fat-tree torus parameter-server switch " \
                 "dumbbell leaf-spine")
    cyclic = kind == "ring" || kind == "torus"
    text = "kind: " kind
    if (kind == "ring" || kind == "switch" || kind == "fully-connected") {
        hosts = 2 + below(8)
        text = text ", hosts: " hosts
    } else if (kind == "fat-tree") {
        k = 2 + 2 * below(2); m = 1 + below(2)
        hosts = k * k * k / 4 * m
        text = text ", k: " k ", oversubscription: " m
        if (chance(0.3)) text = text ", tiers: {edge: " part() "}"
    } else if (kind == "torus") {
        k = 1 + below(3); hosts = 1
        for (n = 0; n < k; n++) {
            m = 2 + below(3 - (n > 1)); hosts *= m
            text = text (n ? ", " : ", dims: [") m
        }
        text = text "]"
        if (chance(0.3) && k == 2)
            text = text ", dimensions: [" part() ", " part() "]"
    } else if (kind == "parameter-server") {
        n = 2 + below(5); k = 1 + below(2); hosts = n + k; places = n
        m = 1 + below(2)
        text = text ", workers: " n ", servers: " k ", racks: " m
        if (m > 1 && chance(0.5)) text = text ", uplink: " part()
    } else if (kind == "dumbbell") {
        n = 1 + below(4); m = 1 + below(4); hosts = n + m
        text = text ", left: " n ", right: " m
        if (chance(0.6)) text = text ", bottleneck: " part()
    } else if (kind == "leaf-spine") {
        n = 1 + below(3); m = 1 + below(3); k = 1 + below(3)
        hosts = n * k
        if (hosts < 2) { k = 2; hosts = n * k }
        text = text ", leaves: " n ", spines: " m ", hosts_per_leaf: " k
        if (chance(0.4)) text = text ", uplink: " part()
    }
    parallel = chance(0.4) ? 2 + below(2) : 1
    if (parallel > 1) text = text ", links: " parallel
    loss = chance(0.25) ? among("0.001 0.02 0.2") : 0
    text = text ",\n  link: {rate: " rate() ", delay: " delay()
    if (loss) text = text ", loss: " loss
    print "topology:\n  {" text "}}"
}

# Trimming needs a control that slows down; pause frames lock rings and tori.
function queue(    kind, text, pause) {
    kind = among("droptail droptail ecn ecn red trim")
    if (kind == "trim" && (datagram || control == "none")) kind = "droptail"
    pause = kind != "trim" && !cyclic && chance(0.2)
    text = "kind: " kind ", capacity: " among("16KB 64KiB 300KB 1MiB 16MiB")
    if (kind == "ecn") text = text ", threshold: " among("0B 9KB 100KB")
    if (kind == "red") {
        if (chance(0.7)) text = text ", kmin: 5KB, kmax: 60KB"
        text = text ", pmax: " among("0.1 1") ", weight: " among("1 1 0.1")
        text = text ", " among("mark mark ecn")
        sub(/mark$/, among("mark:enqueue mark:dequeue"), text)
        sub(/ecn$/, "ecn:false", text)
        gsub(/:/, ": ", text); gsub(/ +/, " ", text)
    }
    if (chance(0.3)) {
        text = text ", scheduler: " among("fifo strict drr wfq")
        if (text ~ /drr$|wfq$/ && chance(0.5)) text = text ", weights: [1, 2.5]"
    }
    print "  queue: {" text "}"
    if (pause)
        print "  pfc: {enabled: true, xoff: " among("8KB 20KB 100KB") "}"
    if (pause || chance(0.15))
        print "  buffer: {kind: shared, size: " \
              (pause ? "4GiB" : among("100KB 1MiB")) "}"
}

function routing(    kind, text) {
    kind = among("ecmp ecmp first spray spray-random flowlet adaptive adaptive")
    if (kind == "adaptive") text = ", per: " among("flowlet packet packet")
    if (kind == "flowlet") text = ", choice: " among("random round-robin")
    if (text ~ /round|random|flowlet/) text = text ", gap: " among("50us 1us 37ns")
    return "{kind: " kind text "}"
}

# Links that are slower or faster from the beginning, so that ways which are
# equally long are not alike; a link that is away for a while. Every topology
# has links 0 and 1, and more of them if they are parallel.
function failures(    i, n, away) {
    n = chance(parallel > 1 ? 0.7 : 0.2) ? 1 + below(2 * parallel) : 0
    away = !datagram && chance(0.15)
    if (n + away == 0) return
    print "failures:"
    for (i = 0; i < n; i++)
        print "  - {link: " i ", at: 0s, rate: " rate() "}"
    if (away)
        print "  - {link: " below(2 * parallel) ", down: " among("1us 20us 100us") \
              ", up: " among("150us 3ms") ", detect: " among("0s 10us") "}"
}

function network(    mtu) {
    mtu = among("4096 1000 1460 256 9000")
    datagram = chance(0.2)
    print "network:"
    print "  mtu: " mtu "B"
    print "  header: " among("0B 2B 40B 64B")
    print "  ack: " among("64B 1B 40B")
    print "  ack_every: " among("1 1 2 3 1000")
    print "  ack_delay: " among("100us 1us 3ms")
    print "  transport: " (datagram ? "datagram" : "reliable")
    control = among("none none reno dctcp")
    queue()
    print "  routing: " routing()
    if (!datagram && chance(0.4))
        print "  recovery: " among("go-back-n selective")
    print "  cc: {kind: " control "}"
    print "  window: " among("unlimited unlimited 1 16 64KiB")
    print "  initial_window: " among("10 10 1 2")
    print "  idle_restart: " among("true false")
    print "  ties: " among("index shuffled")
    print "  rto: {initial: " among("10ms 1ms") ", min: " \
          among("1ms 100us") ", max: 50ms}"
    if (chance(0.3)) print "  latency: {switch: " delay() ", host: 10ns}"
    if (chance(0.2)) print "  reorder_window: " among("auto 1us 100us")
}

function flows(    n, i, src, dst) {
    print "flows:"
    n = 1 + below(6)
    for (i = 0; i < n; i++) {
        src = below(hosts)
        dst = (src + 1 + below(hosts - 1)) % hosts
        if (chance(0.75))
            print "  - {src: " src ", dst: " dst ", size: " size() \
                  ", start: " among("0s 0s 1us 3333ns 2ms") \
                  ", class: " among("0 0 0 1 2") "}"
        else if (chance(0.4))
            print "  - {generate: permutation, size: " size() ", jitter: 1us}"
        else if (chance(0.5))
            print "  - {generate: incast, dst: " dst ", size: {min: 0B, max: " \
                  size() "}, repeat: 2, period: 50us}"
        else
            print "  - {generate: poisson, load: 0.5, count: 12, size: " \
                  "{kind: exponential, mean: 20KB}}"
    }
}

# "{size: ..., ...}" of a collective over the job's ranks or some of them.
function collective(ranks,    kind, text, i, algorithm) {
    kind = among("all-reduce all-reduce reduce-scatter all-gather all-to-all " \
                 "broadcast reduce gather scatter barrier")
    text = "size: " among("0B 1B 1000B 4097B 20KB 64KiB 100KB")
    algorithm = "direct"
    if (kind == "all-reduce")
        algorithm = among("ring direct halving-doubling tree double-tree " \
                          "parameter-server")
    if (kind == "reduce-scatter") algorithm = among("ring direct halving")
    if (kind == "all-gather") algorithm = among("ring direct doubling")
    if (kind == "all-to-all") algorithm = among("direct ring")
    if (kind == "broadcast") algorithm = among("tree ring chain direct")
    if (kind == "reduce") algorithm = among("tree direct")
    if (kind == "barrier") return kind ": {}"
    text = text ", algorithm: " algorithm
    if (algorithm == "ring" || algorithm == "chain")
        text = text ", direction: " (kind == "all-to-all" ? \
               among("forward backward") : among("forward backward both"))
    if (algorithm == "tree") text = text ", shape: " among("binomial binary")
    if (chance(0.4)) text = text ", chunks: " 1 + below(5)
    if (chance(0.4)) text = text ", concurrent: " 1 + below(3)
    if (chance(0.2)) text = text ", endpoint_delay: 10ns"
    if (chance(0.2)) text = text ", memory: 100GB/s"
    if (chance(0.2) && ranks > 2) {
        text = text ", group: ["
        for (i = ranks - 1; i > 0; i--) text = text i (i > 1 ? ", " : "]")
    }
    return kind ": {" text "}"
}

function compute() {
    return "compute: " among("1ns 1us 10us 33us")
}

function program(ranks,    n, i) {
    n = 1 + below(3)
    print "    program:"
    for (i = 0; i < n; i++) {
        if (chance(0.25)) print "      - " compute()
        else if (chance(0.3))
            print "      - parallel:\n          - " compute() \
                  "\n          - " collective(ranks) \
                  "\n          - - " compute() "\n            - " \
                  collective(ranks)
        else if (chance(0.3) && ranks > 1)
            print "      - send: {to: +1, size: " size() ", tag: " i "}\n" \
                  "      - recv: {from: -1, tag: " i "}"
        else print "      - " collective(ranks)
    }
}

function jobs(    n, j, ranks, i, kind, text) {
    print "jobs:"
    n = 1 + below(3)
    for (j = 0; j < n; j++) {
        ranks = 1 + below(places ? places : hosts)
        print "  - ranks: " ranks
        kind = below(4)
        if (kind == 0) print "    placement: linear"
        if (kind == 1) print "    placement: random"
        if (kind == 2)
            print "    placement: {kind: strided, stride: " 1 + below(3) "}"
        if (kind == 3) {
            text = ""
            for (i = 0; i < ranks; i++) text = text (i ? ", " : "") below(hosts)
            print "    placement: [" text "]"
        }
        print "    start: " among("0s 0s 1us 12345ns")
        print "    iterations: " 1 + below(3)
        print "    complete: " \
              (datagram ? among("sent arrived") : among("sent acked"))
        if (chance(0.2)) print "    jitter: {kind: uniform, spread: 100ns}"
        if (chance(0.2))
            print "    message_overhead: {time: 100ns, on: " \
                  among("compute nic") "}"
        program(ranks)
    }
}

BEGIN {
    state = seed * 7919 % 2147483646 + 1
    for (i = 0; i < 8; i++) draw() # near seeds begin alike
    print "# scenario " seed
    print "seed: " 1 + below(1000)
    topology()
    network()
    failures()
    what = below(3)
    if (what != 1) flows()
    if (what != 0) jobs()
}
