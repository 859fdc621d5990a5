#!/usr/bin/env bash
# Prints C source that holds the model files named as arguments, so that the
# command needs no files beside it.
set -eu

echo '/* Made by workload/model/embed.sh. */'
echo '#include "workload/model/model.h"'
echo
echo 'const struct orr_model_file orr__model_files[] = {'
for file; do
    printf '    {"%s", "%s",\n' "$(basename "$file" .yaml)" \
        "$(sed -n 's/^title: //p' "$file")"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/     "&\\n"/' "$file"
    echo '    },'
done
echo '    {NULL, NULL, NULL},'
echo '};'
