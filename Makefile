# orrery: `make help` lists what you can ask for.
#
# Every build lives in a folder of its own, so several may stand side by side:
#   make                      build/
#   make CC=clang OPT=-O0 BUILD=build/clang-O0
#   make asan                 build/asan/

# No built-in rules: study/report/page is a folder, not a program of page.c.
MAKEFLAGS += --no-builtin-rules

CC       ?= cc
BUILD    ?= build
# Not -O3 -march=native: that vectorises the search for the earliest source, over
# times that were stored an instant before, and a load of several of them waits
# until the stores are done: 1.8 times the time of -O2.
OPT      ?= -O2
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
JOBS     ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_TIME ?= 60
SAN      :=
V        :=

# -Wunused-parameter is left out: callbacks rarely need all they are given; and
# -Wmissing-field-initializers: what a table leaves out is 0.
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wwrite-strings -Wvla -Wno-unused-parameter \
            -Wno-missing-field-initializers \
            $(if $(WERROR),-Werror)
# Contracted multiply-adds would make results depend on the CPU.
EXACT    := -ffp-contract=off

# ---- packages ---------------------------------------------------------------

PACKAGES := gcc libc6-dev pkg-config libigraph-dev libgsl-dev libhdf5-dev \
            libfyaml-dev libjansson-dev libxxhash-dev libmetis-dev \
             libglpk-dev libisal-dev libxml2-dev \
            libprotobuf-c-dev protobuf-c-compiler libcmocka-dev bats jq gojq \
            hdf5-tools netcdf-bin libjs-chart.js libjs-dygraphs gnuplot-nox
PACKAGES_PYTHON  := python3 python3-numpy python3-h5py python3-xarray \
                    python3-scipy python3-networkx python3-matplotlib \
                    python3-tqdm python3-pip python3-venv
PACKAGES_PACKAGE := debhelper dh-python dpkg-dev fakeroot help2man lintian \
                    python3-all
PACKAGES_COMPARE := g++ libns3-dev
PACKAGES_LINT    := g++ clang-tidy clang-format shellcheck
PACKAGES_DEVELOP := $(PACKAGES_LINT) clang libclang-rt-dev cppcheck chromium \
                    valgrind tshark $(PACKAGES_PYTHON) \
                    python3-pandas python3-h5netcdf \
                    python3-nbclient \
                    python3-nbformat python3-ipykernel

# pkg-config is asked once, when the first recipe needs it: `make deps` must
# work before it is there.
MODULES  := igraph gsl hdf5 libfyaml jansson libxxhash libprotobuf-c libisal
INCLUDES  = $(eval INCLUDES := $$(subst -I,-isystem ,$$(shell \
              pkg-config --cflags-only-I $(MODULES))))$(INCLUDES)
LIBRARIES = $(eval LIBRARIES := $$(shell pkg-config --libs $(MODULES)) \
              -lhdf5_hl -lmetis $(GLPK) -lm)$(LIBRARIES)
# Where its header is not there, core/linear_program.c does without.
GLPK      = $(if $(wildcard /usr/include/glpk.h),-lglpk)
# The command has in itself what there are archives of: loading and relocating what
# Debian's shared HDF5, igraph, GLPK and libxml2 bring along (S3, TLS, Kerberos,
# LAPACK, Unicode) takes four times as long as all else before main. The
# functions that orrery calls need no ARPACK and no libltdl; others beside them
# name these, at 0 here. libxml2 is loaded when a file needs it: cli/late/xml.c.
# What links first is taken: all of it, igraph with libxml2 shared, HDF5 alone.
comma    := ,
HDF5      = $(shell pkg-config --libs-only-L hdf5 | sed 's/^-L//; s/ *$$//')
ARCHIVES  = $(wildcard $(HDF5)/libhdf5_hl.a) $(wildcard $(HDF5)/libhdf5.a)
LIBDIR_OF = $(shell pkg-config --variable=libdir $(1))
GRAPHS    = $(wildcard $(call LIBDIR_OF,igraph)/libigraph.a) \
            $(wildcard $(call LIBDIR_OF,gsl)/libgsl.a)
NOT_CALLED = $(patsubst %,-Wl$(comma)--defsym=%=0,dnaupd_ dneupd_ dsaupd_ \
             dseupd_ dsortc_ dsortr_ lt_dlinit lt_dlopen lt_dlsym lt_dlerror \
             lt_dlclose lt_dlexit)
# xxhash comes before fyaml, which has a copy of it.
BESIDE    = $(addprefix -l,stdc++ gslcblas xxhash fyaml jansson protobuf-c \
            $(patsubst -l%,%,$(GLPK)) colamd amd suitesparseconfig gmp sz aec z)
TRIAL     = int igraph_community_fastgreedy(), igraph_read_graph_graphml(), \
            igraph_layout_kamada_kawai(), gsl_fit_linear(), H5open(), \
            H5LTpath_valid(), fy_parser_create(), json_loads(), XXH3_64bits(); \
            int main() { return igraph_community_fastgreedy() \
            + igraph_read_graph_graphml() + igraph_layout_kamada_kawai() \
            + gsl_fit_linear() + H5open() + H5LTpath_valid() \
            + fy_parser_create() + json_loads() + XXH3_64bits(); }
IN_ITSELF = $(eval IN_ITSELF := $$(shell \
    try() { echo '$$(TRIAL)' | $$(CC) $$(SAN) -w -x c -o /dev/null - -x none "$$$$@" \
        $$(LIBRARIES) 2>/dev/null && echo "$$$$@"; }; \
    hdf5='$$(ARCHIVES)'; graphs='$$(NOT_CALLED) $$(GRAPHS)'; \
    try $$$$hdf5 $$$$graphs $(BUILD)/cli/late/xml.o -Wl,-Bstatic $$(BESIDE) \
        -Wl,-Bdynamic -ldl || \
    try $$$$hdf5 $$$$graphs -lgslcblas -lxml2 -lstdc++ -lsz -lz -ldl || \
    try $$$$hdf5 -lsz -lz -ldl))$(IN_ITSELF)
# A command at a fixed address has its 10,000 pointers to texts in place, which
# saves a third of what is left. FIXED= for a position-independent one.
FIXED    ?= $(if $(SAN),,-no-pie)
COMMAND   = $(FIXED) $(if $(SAN),,-static-libgcc) $(ORR_LDFLAGS)

ORR_CPPFLAGS = -I. -Iinclude -isystem $(BUILD)/made -D_GNU_SOURCE $(CHECKS) $(INCLUDES) $(CPPFLAGS)
ORR_CFLAGS = -std=c11 $(OPT) -g -fPIC -fvisibility=hidden -pthread $(EXACT) \
             $(WARN) $(SAN) $(CFLAGS)
ORR_LDFLAGS = -pthread -Wl,--as-needed $(LDFLAGS)

# ---- sources ----------------------------------------------------------------

LIB_SRC  := $(sort $(foreach r,core topo net workload record formats experiment cluster study,\
              $(wildcard $r/*.c $r/*/*.c $r/*/*/*.c)))
LIB_H    := $(sort $(foreach r,core topo net workload record formats experiment cluster study,\
              $(wildcard $r/*.h $r/*/*.h $r/*/*/*.h)) $(wildcard include/*/*.h))
CLI_SRC  := $(sort $(wildcard cli/*.c))
TEST_SRC := $(sort $(shell find tests -name 'test_*.c' 2>/dev/null))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
ATTACK_SRC := $(sort $(wildcard tests/attack/*.c))
PROTO    := $(wildcard formats/*/*.proto)
MADE     := $(PROTO:%.proto=$(BUILD)/made/%.pb-c.c)
MODELS   := $(sort $(wildcard workload/model/data/*.yaml))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o) $(MADE:.c=.o) \
            $(BUILD)/workload/model/data.o $(BUILD)/study/report/data.o
PAGE     := $(sort $(wildcard study/report/page/*))
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/%.o)
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)
FUZZERS  := $(FUZZ_SRC:%.c=$(BUILD)/%)
ATTACK_OBJ := $(ATTACK_SRC:%.c=$(BUILD)/%.o) $(BUILD)/cli/families.o
DEP      := $(LIB_OBJ:.o=.d) $(ATTACK_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TESTS:=.d) $(FUZZERS:=.d) \
            $(BUILD)/tests/validate/mdone.d

VERSION  := $(shell sed -n 's/^.define ORR_VERSION "\(.*\)"/\1/p' \
              include/orrery/orrery.h)
SONAME   := liborrery.so.$(firstword $(subst ., ,$(VERSION)))

Q := $(if $(V),,@)
# A make inside a recipe: parallel, unless the user said how parallel.
AGAIN = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))
# What scripts need to know about the build they look at.
TELL = ORRERY=$(abspath $(BUILD)/orrery) BUILD=$(abspath $(BUILD)) JOBS=$(JOBS)

.PHONY: all lib attack deps deps-compare deps-lint deps-develop deps-python \
        deps-package demo studies test unit tests test-full equivalence larger \
        mutate validate bench lint asan ubsan tsan coverage man dist deb \
        fuzz fuzzers fuzz-smoke format golden-update docs pictures install uninstall clean \
        help force
.SECONDARY:
.DELETE_ON_ERROR:

# ---- building ---------------------------------------------------------------

all: $(BUILD)/orrery lib ## build the command and the libraries (default)
lib: $(BUILD)/liborrery.a $(BUILD)/liborrery.so

$(BUILD)/orrery: $(CLI_OBJ) $(BUILD)/liborrery.a $(BUILD)/cli/late/xml.o
	@echo "LD $@"
	$(Q)$(CC) $(ORR_CFLAGS) $(COMMAND) -o $@ $(CLI_OBJ) $(BUILD)/liborrery.a \
	    $(IN_ITSELF) $(LIBRARIES)

# Under the name of the library that it was linked with so far.
$(BUILD)/cli/late/xml.o: ORR_CPPFLAGS += $(shell pkg-config --cflags libxml-2.0) \
    -DORR_LIBXML2='"$(shell readelf -d $$($(CC) -print-file-name=libxml2.so) | \
        sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"'

$(BUILD)/liborrery.a: $(LIB_OBJ)
	@echo "AR $@"
	$(Q)rm -f $@ && ar rcs $@ $^

# Only what include/orrery/ declares is exported, each symbol with the version
# in which it came; tests/lint/symbols.sh looks.
$(BUILD)/liborrery.so: $(LIB_OBJ) orrery.map
	@echo "LD $@"
	$(Q)$(CC) $(ORR_CFLAGS) $(ORR_LDFLAGS) -shared -Wl,-soname,$(SONAME) \
	    -Wl,--version-script=orrery.map -o $@ $(LIB_OBJ) $(LIBRARIES)
	$(Q)ln -sf liborrery.so $(BUILD)/$(SONAME)

# An object is made anew when the compiler or its flags change.
$(BUILD)/.flags: force
	$(Q)mkdir -p $(@D); \
	echo '$(CC) $(ORR_CPPFLAGS) $(ORR_CFLAGS)' | cmp -s - $@ || \
	echo '$(CC) $(ORR_CPPFLAGS) $(ORR_CFLAGS)' > $@
force:

# Names what the library is made of: what one build remembers, another one with
# other sources, compiler or flags does not believe (experiment/cache.h).
$(BUILD)/made/experiment/build_name.h: $(LIB_SRC) $(MODELS) $(PROTO) $(LIB_H) $(BUILD)/.flags
	$(Q)mkdir -p $(@D)
	$(Q)name=$$({ cat $(sort $(filter-out $(BUILD)/.flags,$^)); \
	    sed 's/-I[^ ]*//g; s/-isystem [^ ]*//g' $(BUILD)/.flags; \
	    $(CC) --version; } | sha256sum | cut -c 1-16) && \
	    echo "#define ORR_BUILD_NAME 0x$${name}u" | cmp -s - $@ || \
	    echo "#define ORR_BUILD_NAME 0x$${name}u" > $@
$(BUILD)/experiment/cache.o: $(BUILD)/made/experiment/build_name.h

# Decoders that protobuf-c writes for the messages of a .proto.
$(BUILD)/made/%.pb-c.c $(BUILD)/made/%.pb-c.h: %.proto
	@echo "PROTO $<"
	$(Q)mkdir -p $(BUILD)/made && \
	    protoc-c --c_out=$(BUILD)/made --proto_path=. $<

$(BUILD)/made/%.o: $(BUILD)/made/%.c $(BUILD)/.flags
	@echo "CC $(notdir $<)"
	$(Q)$(CC) $(ORR_CPPFLAGS) $(ORR_CFLAGS) -MMD -MP -c -o $@ $<

# Their headers are there before anything is compiled.
$(LIB_SRC:%.c=$(BUILD)/%.o): | $(MADE)

$(BUILD)/%.o: %.c $(BUILD)/.flags
	@echo "CC $<"
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ORR_CPPFLAGS) $(ORR_CFLAGS) -MMD -MP -c -o $@ $<

# The models are part of the library, as text.
$(BUILD)/workload/model/data.c: workload/model/embed.sh workload/model/data \
                                $(MODELS)
	@echo "EMBED $@"
	$(Q)mkdir -p $(@D)
	$(Q)workload/model/embed.sh $(MODELS) > $@
# So are the parts of the page that `orrery report` makes.
$(BUILD)/study/report/data.c: study/report/embed.sh study/report/page $(PAGE)
	@echo "EMBED $@"
	$(Q)mkdir -p $(@D)
	$(Q)study/report/embed.sh > $@
$(BUILD)/%/data.o: $(BUILD)/%/data.c $(BUILD)/.flags
	@echo "CC $<"
	$(Q)$(CC) $(ORR_CPPFLAGS) $(ORR_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/liborrery.a
	@echo "LD $@"
	$(Q)$(CC) $(ORR_CFLAGS) -fsanitize=fuzzer $(ORR_LDFLAGS) -o $@ $^ \
	    $(LIBRARIES)

# Its cases are children: the less is mapped, the cheaper each.
$(BUILD)/tests/attack/attack: $(ATTACK_OBJ) $(BUILD)/liborrery.a $(BUILD)/cli/late/xml.o
	@echo "LD $@"
	$(Q)$(CC) $(ORR_CFLAGS) $(COMMAND) -o $@ $(ATTACK_OBJ) $(BUILD)/liborrery.a \
	    $(IN_ITSELF) $(LIBRARIES)

# The command with all libraries shared: starve.so stands before their functions.
$(BUILD)/tests/starve/orrery: $(CLI_OBJ) $(BUILD)/liborrery.a
	@echo "LD $@"
	$(Q)mkdir -p $(@D) && \
	    $(CC) $(ORR_CFLAGS) $(ORR_LDFLAGS) -o $@ $^ $(LIBRARIES)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/liborrery.a
	@echo "LD $@"
	$(Q)$(CC) $(ORR_CFLAGS) $(ORR_LDFLAGS) -o $@ $^ $(LIBRARIES) -lcmocka

-include $(wildcard $(DEP))

# ---- packages, demonstrations, tests -------------------------------------

deps: ## install the Debian packages that orrery needs (nothing if all are there)
	$(Q)tests/deps.sh $(PACKAGES)
deps-compare: ## the same for comparisons with ns-3 (validate, bench)
	$(Q)tests/deps.sh $(PACKAGES_COMPARE)
deps-lint: ## the same for lint and .ci/run
	$(Q)tests/deps.sh $(PACKAGES_LINT)
deps-develop: ## the same for lint, fuzzing and pictures
	$(Q)tests/deps.sh $(PACKAGES_DEVELOP)

deps-python: ## the same for the Python package
	$(Q)tests/deps.sh $(PACKAGES_PYTHON)
deps-package: ## the same for make deb
	$(Q)tests/deps.sh $(PACKAGES_PACKAGE)

demo: deps ## 64 ranks on five topologies: which is fastest, and why
	+$(Q)$(AGAIN) all
	$(Q)$(DEMO)
DEMO = $(BUILD)/orrery compare configs/demo/demo.yaml -j $(JOBS) \
       -o $${OUT:-out/demo} --sort jobs.0.finish_ns

STUDIES := $(sort $(wildcard configs/studies/*.yaml))
studies: all ## the studies of configs/studies: topologies, controls, jobs; tables in out/studies/ and docs/studies.md
	$(Q)for study in $(STUDIES:configs/studies/%.yaml=%); do \
	    echo "$$study"; $(BUILD)/orrery compare configs/studies/$$study.yaml \
	        -j $(JOBS) -o out/studies/$$study || exit; done
	$(Q)$(TELL) docs/studies.sh out/studies > docs/studies.md.new
	$(Q)mv docs/studies.md.new docs/studies.md

test: deps ## build, unit tests and command tests; some attack included
	+$(Q)$(AGAIN) all tests
	$(Q)$(TELL) tests/run.sh

tests: $(TESTS) $(BUILD)/tests/attack/attack $(BUILD)/tests/starve/orrery
unit: $(TESTS) ## the unit tests alone
	$(Q)$(TELL) tests/run.sh unit

test-full: deps deps-develop ## sanitizers, compilers, threads, larger cases
	+$(Q)tests/full.sh "$(AGAIN)"

SECONDS ?= 60
SEED    ?= $(shell date +%s)
attack: all $(BUILD)/tests/attack/attack ## random attack: SECONDS=60 SEED=N; findings go to tests/attack/found/
	$(Q)$(BUILD)/tests/attack/attack --seed $(SEED) --seconds $(SECONDS) \
	    --jobs $(JOBS) --found tests/attack/found
	$(Q)$(TELL) tests/attack/kill.sh 40 $(SEED)

equivalence: ## one fingerprint for each compiler, -O level, thread count, port kind
	+$(Q)tests/threads/equivalence.sh "$(AGAIN)"

N    ?= $(if $(FILES),0,100)
mutate: all tests ## small changes that no test notices: FILES="a.c b.c", or ROOM=net N=100 SEED=7
	$(Q)$(TELL) MUTATE_CC='$(CC) $(ORR_CPPFLAGS) $(ORR_CFLAGS)' \
	    MUTATE_LINK='$(ORR_LDFLAGS) $(LIBRARIES)' \
	    MUTATE_COMMAND='$(COMMAND) $(IN_ITSELF) $(LIBRARIES)' \
	    tests/mutate/mutate.py --jobs $(JOBS) --seed $(SEED) --draw $(N) \
	    --room '$(ROOM)' $(if $(LIST),--list) $(if $(UNIT),--unit) $(if $(VERBOSE),--verbose) \
	    --files $(FILES)

larger: all ## slow cases that make test leaves out
	$(Q)$(TELL) tests/run.sh larger

golden-update: all ## record the fingerprints anew and show what changed
	$(Q)$(TELL) tests/golden/update.sh

validate: all $(BUILD)/tests/validate/mdone ## the model against theory and against ns-3
	$(Q)$(TELL) PARTS="$(PARTS)" tests/validate/run.sh

bench: all ## what a packet-hop costs: instructions, misses; CPU time, beside ns-3, htsim; LONG=1: a study, too
	$(Q)$(TELL) bench/hops.sh
	$(Q)$(TELL) bench/run.sh

lint: lib ## layers, names, sizes, silence, exports, headers, clang-tidy
	$(Q)$(TELL) CPPFLAGS="$(ORR_CPPFLAGS)" tests/lint/run.sh

# ---- other builds -----------------------------------------------------------

SANITIZE = -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=
# A double beyond an integer's range is undefined, too, and not in UBSan's group.
UNDEFINED = undefined,float-cast-overflow
# The compiler's own checks cost little beside a sanitizer's.
CHECKED  = OPT=-O1 CHECKS=-DORR_DEBUG

asan: ## build/asan: AddressSanitizer and UBSan, invariants checked
	+$(Q)$(AGAIN) BUILD=build/asan $(CHECKED) \
	    SAN="$(SANITIZE)address,$(UNDEFINED)" all tests
ubsan: ## build/ubsan: UBSan alone
	+$(Q)$(AGAIN) BUILD=build/ubsan $(CHECKED) SAN="$(SANITIZE)$(UNDEFINED)" \
	    all tests
tsan: ## build/tsan: ThreadSanitizer
	+$(Q)$(AGAIN) BUILD=build/tsan $(CHECKED) SAN="$(SANITIZE)thread" all tests

# Counts from an earlier run would add up. Allocations fail behind every call,
# not a few as in make test (POINTS); what was reached is said also where a test
# failed.
PARTS_COVERED ?= all
# A branch of the source counts once, however often it is inlined with constants
# that decide it.
coverage: ## lines and branches that the tests reach, by room: PARTS_COVERED=unit|all
	+$(Q)$(AGAIN) BUILD=build/coverage \
	    OPT="-O0 -Dalways_inline=unused -DORR_COVERAGE" \
	    SAN="--coverage -Wl,-u,__gcov_dump" all tests
	$(Q)find build/coverage -name '*.gcda' -delete
	$(Q)ORRERY=$(abspath build/coverage/orrery) JOBS=$(JOBS) \
	    LIMIT=3600 POINTS=places BUILD=$(abspath build/coverage) \
	    tests/run.sh $(PARTS_COVERED); ran=$$?; \
	    tests/coverage.sh build/coverage && exit $$ran

FUZZ_BUILD = BUILD=build/fuzz CC=clang $(CHECKED) \
             SAN="$(SANITIZE)fuzzer-no-link,address,$(UNDEFINED)"
fuzzers: $(FUZZERS)
fuzz: ## every parser under libFuzzer, FUZZ_TIME=60 seconds each
	+$(Q)$(AGAIN) $(FUZZ_BUILD) fuzzers
	$(Q)FUZZ_TIME=$(FUZZ_TIME) tests/fuzz/run.sh build/fuzz/tests/fuzz
fuzz-smoke: ## the same for ten seconds each
	$(Q)$(MAKE) --no-print-directory fuzz FUZZ_TIME=10

# ---- the rest ---------------------------------------------------------------

docs: all ## docs/configuration.md from the command's tables, output and picture in README.md
	$(Q)$(TELL) docs/readme.sh
	$(Q)$(TELL) docs/configuration.sh > docs/configuration.md.new
	$(Q)mv docs/configuration.md.new docs/configuration.md
	$(Q)$(TELL) docs/cookbook.sh > docs/cookbook.md.new
	$(Q)mv docs/cookbook.md.new docs/cookbook.md
	$(Q)$(TELL) docs/cookbook.sh docs/explain.md > docs/explain.md.new
	$(Q)mv docs/explain.md.new docs/explain.md
pictures: all ## draw docs/demo.svg from what `make demo` left; `make docs` does it, too
	$(Q)$(TELL) docs/demo.sh $${OUT:-out/demo}

format: ## clang-format every C file in place
	$(Q)git ls-files '*.c' '*.h' ':!docs/examples' | xargs clang-format -i

# Static linking wants the libraries that orrery is linked with, and not what
# those name for their own static linking: Debian has no such archives of all.
man: $(BUILD)/orrery ## manual pages in build/man (needs help2man)
	$(Q)$(TELL) docs/man.sh $(BUILD)/man

DIST = orrery-$(VERSION)
dist: ## build/orrery-VERSION.tar.gz: what git has
	$(Q)mkdir -p build
	git archive --prefix=$(DIST)/ -o build/$(DIST).tar.gz HEAD
deb: deps deps-package dist ## Debian packages in build/deb
	rm -rf build/deb
	mkdir -p build/deb
	tar -xzf build/$(DIST).tar.gz -C build/deb
	cd build/deb/$(DIST) && dpkg-buildpackage -us -uc -b -j$(JOBS)
	lintian --fail-on error,warning build/deb/*.changes

D = $(DESTDIR)$(PREFIX)
L = $(DESTDIR)$(LIBDIR)
install: all ## install under PREFIX (/usr/local) and LIBDIR (PREFIX/lib), below DESTDIR
	install -d $(D)/bin $(L)/pkgconfig $(D)/include/orrery
	install -m 755 $(BUILD)/orrery $(D)/bin/orrery
	install -m 644 include/orrery/*.h $(D)/include/orrery/
	for section in 1 5; do \
	    for page in $(wildcard $(BUILD)/man/*.[15]); do \
	        case $$page in *.$$section) install -D -m 644 $$page \
	            $(D)/share/man/man$$section/$$(basename $$page) ;; esac; \
	    done; \
	done
	install -d $(D)/share/bash-completion/completions \
	    $(D)/share/zsh/vendor-completions $(D)/share/fish/vendor_completions.d
	$(BUILD)/orrery completion bash > $(D)/share/bash-completion/completions/orrery
	$(BUILD)/orrery completion zsh > $(D)/share/zsh/vendor-completions/_orrery
	$(BUILD)/orrery completion fish > $(D)/share/fish/vendor_completions.d/orrery.fish
	install -m 644 $(BUILD)/liborrery.a $(L)/
	install -m 644 $(BUILD)/liborrery.so $(L)/liborrery.so.$(VERSION)
	ln -sf liborrery.so.$(VERSION) $(L)/$(SONAME)
	ln -sf $(SONAME) $(L)/liborrery.so
	for pc in orrery orrery-static; do \
	    sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	        -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' \
	        -e 's|@LIBRARIES@|$(LIBRARIES)|' $$pc.pc.in \
	        > $(L)/pkgconfig/$$pc.pc || exit 1; \
	done
uninstall: ## remove what install put there
	rm -f $(D)/bin/orrery $(L)/liborrery.a $(L)/liborrery.so \
	    $(L)/liborrery.so.$(VERSION) $(L)/$(SONAME) \
	    $(L)/pkgconfig/orrery.pc $(L)/pkgconfig/orrery-static.pc
	rm -rf $(D)/include/orrery
	rm -f $(D)/share/bash-completion/completions/orrery \
	    $(D)/share/zsh/vendor-completions/_orrery \
	    $(D)/share/fish/vendor_completions.d/orrery.fish
	rm -f $(D)/share/man/man1/orrery*.1 $(D)/share/man/man5/orrery-config.5

clean: ## remove build/ and out/
	rm -rf build out

help: ## this list
	@echo "make TARGET [BUILD=dir] [CC=cc] [OPT=-O2] [V=1] [JOBS=n]"; echo
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(firstword \
	    $(MAKEFILE_LIST)) | awk -F'\t' '{ printf "  %-14s %s\n", $$1, $$2 }'
