# orrery: `make help` lists what you can ask for.
CC       ?= cc
BUILD    ?= build
OPT      ?= -O2
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wwrite-strings -Wvla -Wno-unused-parameter
PKGS     := igraph gsl hdf5 libfyaml jansson libxxhash
CPPFLAGS += -I. -Iinclude -D_GNU_SOURCE $(shell pkg-config --cflags-only-I $(PKGS) | sed 's/-I/-isystem /g')
CFLAGS   += -std=c11 $(OPT) -g -fPIC -pthread -ffp-contract=off $(WARN) $(SAN)
LDLIBS   += $(shell pkg-config --libs $(PKGS)) -lhdf5_hl -lmetis -lm -pthread

LIB_SRC  := $(sort $(wildcard core/*.c topo/*.c topo/*/*.c net/*.c net/*/*.c \
              workload/*.c workload/*/*.c))
CLI_SRC  := $(sort $(wildcard cli/*.c))
TEST_SRC := $(sort $(shell find tests -name 'test_*.c' 2>/dev/null))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/%.o)
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)

Q := $(if $(V),,@)

.PHONY: all clean unit
all: $(BUILD)/orrery ## build the command and the library

$(BUILD)/orrery: $(CLI_OBJ) $(BUILD)/liborrery.a
	$(Q)echo "LD $@"; $(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/liborrery.a: $(LIB_OBJ)
	$(Q)echo "AR $@"; rm -f $@; ar rcs $@ $^
$(BUILD)/%.o: %.c
	$(Q)mkdir -p $(@D); echo "CC $<"; $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/liborrery.a
	$(Q)echo "LD $@"; $(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lcmocka
unit: $(TESTS) ## unit tests
	$(Q)set -e; for t in $(TESTS); do $$t; done
clean: ## remove what was built
	rm -rf build
-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TESTS:=.d)
.SECONDARY:
