# TIMELY with unequal round trips as HPCC's simulator has it (rdma-hw.cc,
# UpdateRateTimely), event by event: four hosts with links of 1, 2, 5 and 10 us to
# a switch, a link of 1 us to another, a receiver each 1 us from that; 4 MB each,
# 100 Gbps. Prints when each sender knows that all has arrived, ns. whole=1: the
# time of a packet on a link and between two packets is a whole number of ns, as
# ns-3's clock counts; 0: it is exact.
#
# Events are in a heap by time, then by their number.

function earlier(a, b) {
    return at[a] < at[b] || (at[a] == at[b] && a < b)
}

function add(time, what, of, sent, seq,    i, up) {
    at[++events] = time
    does[events] = what
    whose[events] = of
    stamp[events] = sent
    number[events] = seq
    for (i = ++heaped; i > 1; i = up) {
        up = int(i / 2)
        if (!earlier(events, heap[up]))
            break
        heap[i] = heap[up]
    }
    heap[i] = events
}

function take(    first, last, i, down) {
    first = heap[1]
    last = heap[heaped--]
    for (i = 1; 2 * i <= heaped; i = down) {
        down = 2 * i
        if (down < heaped && earlier(heap[down + 1], heap[down]))
            down++
        if (!earlier(heap[down], last))
            break
        heap[i] = heap[down]
    }
    heap[i] = last
    return first
}

function sends(bytes, rate,    ns) {
    ns = bytes * 8e9 / rate
    return whole ? int(ns + 0.5) : ns
}

# A sender's port is free, or a packet may start.
function send(f) {
    if (busy[f] || next_seq[f] >= size)
        return
    if (ready[f] > now) {
        if (woken[f] <= now) {
            woken[f] = ready[f]
            add(ready[f], "pace", f)
        }
        return
    }
    next_seq[f] += 1000
    busy[f] = 1
    add(now + sends(1044, line), "sent", f)
    add(now + sends(1044, line) + delay[f], "queue", f, now, next_seq[f])
    ready[f] = now + sends(1044, rate[f])
}

function serve(    e) {
    if (serving || head == tail)
        return
    e = queue[head++]
    serving = 1
    add(now + sends(1044, line), "served")
    # to the receiver, and an ACK of 48 B back over three links
    add(now + 2 * sends(1044, line) + 2000 + 3 * sends(48, line) + 2000 \
        + delay[whose[e]], "ack", whose[e], stamp[e], number[e])
}

function react(f, rtt,    change, gradient, keep) {
    change = 0.125 * difference[f] + 0.875 * (rtt - last_rtt[f])
    gradient = change / 20000
    difference[f] = change
    keep = rtt < 50000 ? 1 : rtt > 500000 ? 1 - 0.8 * (1 - 500000 / rtt) : \
        1 - 0.8 * gradient
    if (rtt < 50000 || (rtt <= 500000 && gradient <= 0)) {
        rate[f] += more[f]++ < 5 ? 1e8 : 5e8
    } else {
        rate[f] *= keep > 0 ? keep : 0
        more[f] = 0
    }
    rate[f] = rate[f] > line ? line : rate[f] < 1e8 ? 1e8 : rate[f]
}

function acknowledge(f, sent, seq) {
    if (seq >= size) {
        done[f] = now
        return
    }
    if (seq > updated[f]) {
        if (updated[f])
            react(f, now - sent)
        updated[f] = next_seq[f]
        last_rtt[f] = now - sent
    }
    send(f)
}

BEGIN {
    line = 100e9
    size = 4000000
    split("1000 2000 5000 10000", delay)
    for (f = 1; f <= 4; f++) {
        rate[f] = line
        add(0, "pace", f)
    }
    while (heaped) {
        e = take()
        now = at[e]
        f = whose[e]
        if (does[e] == "sent")
            busy[f] = 0
        if (does[e] == "sent" || does[e] == "pace")
            send(f)
        else if (does[e] == "queue")
            queue[tail++] = e
        else if (does[e] == "served")
            serving = 0
        else
            acknowledge(f, stamp[e], number[e])
        if (does[e] == "queue" || does[e] == "served")
            serve()
    }
    printf "%.0f %.0f %.0f %.0f\n", done[1], done[2], done[3], done[4]
}
