# shellcheck shell=bash
# Which rooms a room may know: of their headers, and of their symbols. Dependencies
# run one way: core <- topo <- net <- workload <- record, formats <- experiment <-
# cluster <- study <- cli.
# shellcheck disable=SC2034
declare -A may=(
    [core]="core"
    [topo]="core topo"
    [net]="core topo net"
    [workload]="core topo net workload"
    [record]="core topo net workload record"
    [formats]="core topo net workload formats"
    [experiment]="core topo net workload record formats experiment"
    [cluster]="core topo net workload record formats experiment cluster"
    [study]="core topo net workload record formats experiment cluster study"
    [cli]="core topo net workload record formats experiment cluster study cli"
)
rooms="core topo net workload record formats experiment cluster study cli"
