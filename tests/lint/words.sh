#!/usr/bin/env bash
# No name has a word that the glossary of CONTRIBUTING.md gives another for: in the
# library and the command no function, type, field or file has a word of words.txt
# as one of its parts, which _ separates. Comments and texts are not looked at. A
# word behind ~ may be a local variable: only a name behind . or ->, before ( or
# behind #define is looked at.
set -u

cd "$(dirname "$0")/../.." || exit 1
words=tests/lint/words.txt
mapfile -t files < <(find core topo net workload record formats experiment cluster \
    study cli include -name '*.[ch]' | sort)

# Each identifier of each file, by line; then those with a forbidden part.
perl -e '
    open my $list, "<", shift or die "words.txt: $!\n";
    my (%not, %local);
    while (<$list>) {
        next if /^\s*(#|$)/;
        my ($local, $word, $instead) = /^(~?)(\S+)\s*(.*?)\s*$/;
        $not{$word} = $instead;
        $local{$word} = 1 if $local;
    }
    my ($bad, %seen) = (0);
    sub look {
        my ($where, $name, $shared) = @_;
        return if $name =~ /^(H5|igraph_|glp_|gsl_|fy_)/i; # of libraries
        for my $part (split /_/, lc $name) {
            next unless exists $not{$part} && ($shared || !$local{$part});
            next if $seen{"$where $name"}++;
            print "$where: $name: not \"$part\", but $not{$part}\n";
            $bad = 1;
        }
    }
    for my $file (@ARGV) {
        (my $stem = $file) =~ s{\.[ch]$}{};
        look($file, $_, 1) for split m{/}, $stem;
        open my $in, "<", $file or die "$file: $!\n";
        my $text = do { local $/; <$in> };
        # comments, texts and includes go; lines stay
        $text =~ s{(/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|#\s*include[^\n]*)}{
            my $x = $1; $x =~ tr/\n//cd; $x }gse;
        my $line = 0;
        for (split /\n/, $text, -1) {
            $line++;
            my $macro = /^\s*#\s*define\s/;
            look("$file:$line", $2, $1 || $3 || $macro)
                while /(\.|->)?\b([A-Za-z_]\w*)(?=(\()?)/g;
        }
    }
    exit $bad;
' "$words" "${files[@]}"
