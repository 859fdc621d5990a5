#!/usr/bin/env bash
# A function's name is a verb and its object, or what it returns: none has five
# letters or less behind its prefix. Excepted are functions of an ops table, which
# may have the name of their field (`.send = send`), and those of `known`.
set -u

cd "$(dirname "$0")/../.." || exit 1
known="orr__fail orr__hint orr__alloc orr__free main"
mapfile -t files < <(find core topo net workload record formats experiment cluster \
    study cli -name '*.[ch]' | sort)

perl -e '
    my %known = map { $_ => 1 } split " ", shift;
    my $bad = 0;
    for my $file (@ARGV) {
        open my $in, "<", $file or die "$file: $!\n";
        chomp(my @l = <$in>);
        my $text = join "\n", @l;
        for (my $i = 0; $i < @l; $i++) {
            next unless $l[$i] eq "{";
            my $top = $i; # the line where the head of the function begins
            $top-- while $top > 0 && $l[$top - 1] !~ m{^$|^[\}#]|\*/$|;$};
            my $head = join " ", @l[$top .. $i - 1];
            $head =~ s/__attribute__\(\(.*?\)\)//g;
            next unless $head =~ /([a-zA-Z]\w+)\(/;
            my $full = $1;
            (my $name = $full) =~ s/^orr_+//;
            next if length $name > 5 || $known{$full};
            next if $name eq "IDLE" || $text =~ /\.\w*\Q$name\E = \Q$name\E\b/;
            print "$file:$i: $full: a name of five letters or less\n";
            $bad = 1;
        }
    }
    exit $bad;
' "$known" "${files[@]}"
