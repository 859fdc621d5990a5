graph [
  node [ id 0 label "a" type "host" ]
  node [ id 1 label "s" type "switch" Latitude 47.4 Longitude 8.5 ]
  node [ id 2 label "b" type "host" Latitude 46.2 Longitude 6.1 ]
  edge [ source 0 target 1 rate "10Gbps" delay "1us" ]
  edge [ source 1 target 2 LinkSpeedRaw 1e10 ]
]
