#!/usr/bin/env bash
# The include graph: draws what includes what by rooms, and holds two things. No
# room has more than 30 % of the code, and no circle more than five modules (a
# module is NAME.c with its NAME.h). Layers are held by layers.sh.
set -u

rooms="core topo net workload record formats experiment cluster study cli"
# shellcheck disable=SC2086
mapfile -t files < <(find $rooms -name '*.[ch]' | sort)

awk -v rooms="$rooms" '
    function module(path) { sub(/\.[ch]$/, "", path); return path }
    function room(path) { sub(/\/.*/, "", path); return path }
    { lines[room(FILENAME)]++; all++ }
    FNR == 1 {
        name = module(FILENAME)
        if (!(name in number)) { number[name] = ++n; names[n] = name }
    }
    /^ *# *include "[a-z]+\// {
        split($0, part, "\"")
        to = module(part[2])
        if (to == name || room(to) == "orrery")
            next
        includes[++edges] = name SUBSEP to
        if (room(to) != room(name))
            arrows[room(name) SUBSEP room(to)]++
    }
    END {
        for (i = 1; i <= edges; i++) {
            split(includes[i], end, SUBSEP)
            if (number[end[2]])
                out[number[end[1]]] = out[number[end[1]]] " " number[end[2]]
        }
        for (i = 1; i <= n; i++)
            if (!index_of[i])
                visit(i)
        draw()
        exit bad
    }
    # Strongly connected modules (Tarjan, 1972).
    function visit(v,    to, k, i, w, circle, size) {
        index_of[v] = low[v] = ++time
        stack[++top] = v; on[v] = 1
        k = split(out[v], to, " ")
        for (i = 1; i <= k; i++) {
            w = to[i]
            if (!index_of[w]) {
                visit(w)
                if (low[w] < low[v]) low[v] = low[w]
            } else if (on[w] && index_of[w] < low[v])
                low[v] = index_of[w]
        }
        if (low[v] != index_of[v])
            return
        do {
            w = stack[top--]; on[w] = 0
            circle = circle " " names[w]; size++
        } while (w != v)
        if (size > largest) largest = size
        if (size > 5) { print "a circle of " size " modules:" circle; bad = 1 }
    }
    function draw(    r, k, i, j, share, line) {
        k = split(rooms, r, " ")
        for (i = 1; i <= k; i++) {
            share = 100 * lines[r[i]] / all
            line = ""
            for (j = 1; j <= k; j++)
                if (arrows[r[i] SUBSEP r[j]])
                    line = line " " r[j] "(" arrows[r[i] SUBSEP r[j]] ")"
            printf "note %-9s %6d lines %3.0f %%  includes%s\n", r[i],
                lines[r[i]], share, line == "" ? " nothing" : line
            if (share > 30) { print r[i] ": more than 30 % of the code"; bad = 1 }
        }
        print "note the largest circle has " largest " modules"
    }
' "${files[@]}"
