#!/usr/bin/env bash
# run.sh: the model against theory, against recorded measurements and against
# ns-3. Prints a row for each figure; exits 1 if one is outside its tolerance.
# ORRERY names the command, BUILD the folder of the build.
#
# ns-3 is run there and then when it is installed. Otherwise its figures come
# from recorded.tsv, written by `run.sh --record` on a machine that has it.
#
# The rows are made by parts/*.sh, in order of their names; PARTS="theory ns3"
# (make validate PARTS=...) runs only those. A part calls heading and row.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/../.."
BUILD=$(realpath "${BUILD:-build}")
ORRERY=${ORRERY:-$BUILD/orrery}
DATA=${ORRERY_DATA:-../shared/data}
export DATA
here=tests/validate
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

. $here/lib.sh

ns3='' source=recorded # for the headings
if bench/ns3/build.sh "$BUILD/bench/ns3-tcp"; then
    ns3=$BUILD/bench/ns3-tcp source='run now'
fi
export source
if [ "${1:-}" = --record ] && [ -z "$ns3" ]; then
    exit 1
fi

parts=0
for part in $here/parts/*.sh; do
    name=$(basename "$part" .sh)
    case " ${PARTS:-${name#*-}} " in
    *" ${name#*-} "*) ;;
    *) continue ;;
    esac
    # shellcheck source=/dev/null
    . "$part"
    parts=$((parts + 1))
done
if [ $parts = 0 ]; then
    echo "no part is called ${PARTS:-}" >&2
    exit 2
fi
if [ "${1:-}" = --record ]; then
    cp "$tmp/recorded" $here/recorded.tsv
fi
echo
if [ $failures -gt 0 ]; then
    echo "$failures figures outside their tolerance"
    exit 1
fi
echo 'all figures within their tolerances'
