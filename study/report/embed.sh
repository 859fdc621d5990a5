#!/usr/bin/env bash
# Prints C source that holds the page's template, style and scripts, so that
# the command needs no files beside it.
set -eu

cd "$(dirname "$0")/page"
text() {
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/    "&\\n"/' "$1"
}

echo '/* Made by study/report/embed.sh. */'
echo '#include "study/report/page.h"'
echo '#include <stddef.h>'
echo
echo 'const char orr__page_html[] ='
text report.html
echo ';'
echo 'const char orr__page_css[] ='
text report.css
echo ';'
echo 'const char *const orr__page_js[] = {'
for file in ./*.js; do
    text "$file"
    echo '    ,'
done
echo '    NULL,'
echo '};'
