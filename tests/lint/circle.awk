# Strongly connected parts of a graph (Tarjan, 1972). The caller fills names[1..n]
# and out[i], the numbers that i leads to, and calls find_circles(). circle[1..]
# has the names of each part of more than one, circle_size[] how many those are.
function find_circles(    i) {
    for (i = 1; i <= n; i++)
        if (!index_of[i])
            visit(i)
}
function visit(v,    to, k, i, w, members, size) {
    index_of[v] = low[v] = ++visited
    stack[++top] = v
    on_stack[v] = 1
    k = split(out[v], to, " ")
    for (i = 1; i <= k; i++) {
        w = to[i]
        if (!index_of[w]) {
            visit(w)
            if (low[w] < low[v]) low[v] = low[w]
        } else if (on_stack[w] && index_of[w] < low[v])
            low[v] = index_of[w]
    }
    if (low[v] != index_of[v])
        return
    do {
        w = stack[top--]
        on_stack[w] = 0
        members = members " " names[w]
        size++
    } while (w != v)
    if (size < 2)
        return
    circle[++circles] = members
    circle_size[circles] = size
    if (size > largest) largest = size
}
