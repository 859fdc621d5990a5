#!/usr/bin/env bash
# What holds, in which unit, who owns it, stands above each static function of more
# than ten lines (the body with its braces) and above each struct at the left
# margin. A comment of which each word is in the name too says nothing and does not
# count. The number of those without a comment only goes down: most is the number
# of today. `LIST=1` prints them, `LIST=ROOM` those of a room.
set -u

cd "$(dirname "$0")/../.." || exit 1
most=0
mapfile -t files < <(find core topo net workload record formats experiment cluster \
    study cli include -name '*.[ch]' | sort)

perl -e '
    my ($most, $list, @files) = @ARGV;
    my %small = map { $_ => 1 } qw(a an the of to in on is are its it for and or by
        with as at from that this all each one);
    # Says the comment that ends above line i more than the name does?
    sub said {
        my ($lines, $i, $name) = @_;
        $i-- while $i > 0 && $lines->[$i - 1] =~ /^(__attribute__|ORR_\w+( |$)|#if)/;
        return 0 if $i == 0 || $lines->[$i - 1] !~ m{\*/\s*$|^//};
        my $text = "";
        for ($i--; $i >= 0; $i--) {
            $text = "$lines->[$i] $text";
            last if $lines->[$i] =~ m{^\s*/\*};
            last if $lines->[$i] =~ m{^//} && ($i == 0 || $lines->[$i - 1] !~ m{^//});
        }
        my %in = map { $_ => 1 } split /_/, lc $name;
        return scalar grep { !$small{$_} && !$in{$_} && !$in{s/e?s$//r} }
            lc($text) =~ /[a-z0-9]+/g;
    }
    my @bare;
    for my $file (@files) {
        open my $in, "<", $file or die "$file: $!\n";
        chomp(my @l = <$in>);
        for (my $i = 0; $i < @l; $i++) {
            if ($l[$i] =~ /^(?:typedef )?(?:struct|union) (\w+)(?: \w+)* \{$/) {
                push @bare, [$file, $i + 1, "struct $1"] unless said(\@l, $i, $1);
            } elsif ($l[$i] eq "{") {
                my $end = $i;
                $end++ while $end < @l && $l[$end] ne "}";
                next if $end - $i + 1 <= 10;
                my $top = $i; # the line where the head of the function begins
                $top-- while $top > 0 && $l[$top - 1] !~ m{^$|^[\}#]|\*/$|;$};
                my $head = join " ", @l[$top .. $i - 1];
                $head =~ s/__attribute__\(\(.*?\)\)//g;
                next unless $head =~ /\bstatic\b/ && $head =~ /(\w+)\(/;
                my $name = $1;
                push @bare, [$file, $i + 1, $name] unless said(\@l, $top, $name);
            }
        }
    }
    if ($list) {
        print "$_->[0]:$_->[1]: $_->[2]\n"
            for grep { $list eq "1" || $_->[0] =~ m{^\Q$list\E/} } @bare;
        exit 0;
    }
    exit 0 if @bare == $most;
    if (@bare < $most) {
        print scalar(@bare), " without a comment: lower the number in comments.sh\n";
        exit 1;
    }
    print "$_->[0]:$_->[1]: $_->[2]: no comment says what holds, in which unit, ",
        "who owns it\n" for @bare;
    print scalar(@bare), " are more than $most\n";
    exit 1;
' "$most" "${LIST:-}" "${files[@]}"
