# CANDLE divided by data among 16 nodes, as a task graph. The model is that of
# TopoOpt's artefact (candle_uno.cc: five towers of 12 layers, then 10 layers),
# the times of a layer's forward and backward pass are what it measured for a
# sixteenth of a batch (measures/candle16.json), ms. All-reduces add up at 50 GB/s.
function layer(input, forward, backward, weight, bias, n, list)
{
    ms[ops] = forward
    back[ops] = backward
    inputs[ops] = input
    weights[ops] = weight
    biases[ops] = bias
    for (n = split(input, list, " "); n > 0; n--)
        users[list[n]] = users[list[n]] " " ops
    return ops++
}
function all_reduce(id, bytes, i)
{
    printf "%d ALLREDUCE None %.9g %d", id, bytes / 50e6, bytes
    for (i = 0; i < 16; i++)
        printf " %d", i
    print ""
}
function waits(ops, rank, odd, n, list, i)
{
    n = split(ops, list, " ")
    for (i = 1; i <= n; i++)
        printf " %d", 32 * list[i] + 2 * rank + odd
}
BEGIN {
    ops = 0
    split("942 5270 2048 5270 2048", width, " ")
    f[942] = 0.266138; b[942] = 0.513946
    f[5270] = 0.64041; b[5270] = 1.2545
    f[2048] = 0.269824; b[2048] = 0.516198
    for (t = 1; t <= 5; t++) {
        w = width[t]
        last = layer("", f[w], b[w], w * 16384, 16384)
        for (i = 1; i < 12; i++)
            last = layer(last, 0.500122, 0.969114, 67108864, 16384)
        ends = ends " " last
    }
    last = layer(ends, 0.0587776, 0.0748544, 0, 0)
    last = layer(last, 2.38254, 4.67558, 335577088, 16384)
    for (i = 1; i < 8; i++)
        last = layer(last, 0.500122, 0.969114, 67108864, 16384)
    last = layer(last, 0.0181248, 0.0431104, 16384, 4)
    layer(last, 0.0098304, 0.0228352, 4, 4)
    for (o = 0; o < ops; o++)
        for (r = 0; r < 16; r++) {
            id = 32 * o + 2 * r
            printf "%d FWD %d %.9g 0 %d", id, r, ms[o], id + 1
            waits(users[o], r, 0)
            printf "\n%d BWD %d %.9g 0", id + 1, r, back[o]
            waits(inputs[o], r, 1)
            print weights[o] ? " " 10000 + 2 * o " " 10001 + 2 * o : ""
        }
    for (o = 0; o < ops; o++)
        if (weights[o]) {
            all_reduce(10000 + 2 * o, weights[o])
            all_reduce(10001 + 2 * o, biases[o])
        }
}
