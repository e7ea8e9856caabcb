# flametop - needs GNU make. Everything that is built goes below $(BUILD).
#
#   make run      installs what the build lacks, builds, starts the live table
#   make check    the same for the test packages, then every test
#   make          builds $(BUILD)/flametop; CC=clang BUILD=build/clang makes a second build beside it;
#                 CC=aarch64-linux-gnu-gcc SYSROOT=DIR one for another machine, with the libraries in DIR
#   make quick    before a commit: builds, the unit tests of what changed, layers, format
#   make compdb   compile_commands.json, for editors
#   make test_x   builds the unit tests of a room and runs one file of them

BUILD	 ?= build
PREFIX	 ?= /usr/local
WERROR	 ?= 0
SANITIZE ?=
OPTIMIZE ?= -O2
V	 ?= 0
say	  = $(if $(filter 1,$(V)),,@echo "  $@";)

# Text that is cut to its buffer is meant to be; the warning is gcc's alone.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion $(if $(filter 1,$(WERROR)),-Werror) \
	    $(if $(findstring clang,$(CC)),,-Wno-format-truncation)
MACHINE	 := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
IS_OWN	 := $(filter $(shell uname -m),$(MACHINE))
SYSROOT	 ?=
ROOTED	 := $(SYSROOT:%=--sysroot=%)
ifeq ($(origin AR)$(IS_OWN),default)
AR	 := $(patsubst %gcc,%ar,$(lastword $(CC)))
endif
X86_ONLY := $(if $(filter x86_64,$(MACHINE)),-fcf-protection)
X86_LEAF := $(if $(X86_ONLY),-mno-omit-leaf-frame-pointer)
HARDEN	 := -fPIE -fstack-protector-strong -fstack-clash-protection $(X86_ONLY)
# Sanitizers wrap the same libc functions as _FORTIFY_SOURCE does: one or the other.
HARDEN	 += $(if $(SANITIZE),-fsanitize=$(SANITIZE),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
CFLAGS	 ?= -g
FLAGS	 := $(ROOTED) -std=c11 -D_GNU_SOURCE -Iinclude -pthread $(OPTIMIZE) -fno-omit-frame-pointer $(HARDEN) \
	    $(WARNINGS)
LINK	 := $(ROOTED) -pie -pthread -Wl,-z,relro,-z,now,--as-needed \
	    $(if $(SANITIZE),-fsanitize=$(SANITIZE))
# The decoder of instructions is that of the machine: src/elf/code_decoder.h.
DECODER	 := $(if $(filter aarch64,$(MACHINE)),-lcapstone,-lZydis)
NOT_HERE := $(if $(filter aarch64,$(MACHINE)),src/elf/code_x86.c,src/elf/code_aarch64.c)
LIBS	 := -lncursesw -ltinfo -ldw -lunwind-$(MACHINE) -lelf -llzma -lz -lzstd -liberty -lseccomp -linih $(DECODER) -lbpf -lmd -ltraceevent -lm

# One archive per room; unit tests link the same archives as the program. src/main.c is in none.
ROOMS	 := $(notdir $(patsubst %/,%,$(sort $(dir $(wildcard src/*/*.c)))))
ARCHIVES := $(ROOMS:%=$(BUILD)/%.a) $(BUILD)/ui.a
# A text file, X.in, becomes X.in.o.
objects	 = $(patsubst %,$(BUILD)/obj/%.o,$(patsubst %.c,%,$(sort $(1))))
LINKED	 = -Wl,--start-group $(ARCHIVES) -Wl,--end-group $(LIBS) $(LDFLAGS)

# One program per room: tests/unit/fold/test_*.c are $(BUILD)/tests/unit/fold.
UNIT_FILES ?= $(wildcard tests/unit/*/test_*.c)
room_of	  = $(notdir $(patsubst %/,%,$(dir $(1))))
TESTS	  := $(patsubst %,$(BUILD)/tests/unit/%,$(sort $(call room_of,$(UNIT_FILES))))
WRITERS	  := $(call objects,$(filter-out tests/unit/unit_tests.c,$(wildcard tests/unit/*.c)))
WORKLOADS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/workloads/*.c))
FAULTS	  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/faults/*.c)) $(BUILD)/tests/faults/fail_calls.so \
	     $(BUILD)/tests/faults/core_pmus.so
ORACLES	  := $(patsubst %.c,$(BUILD)/%,$(shell grep -ls "^int main" tests/oracle/*.c))
STAGES	  := $(wildcard tests/bench/stages_*.c)
# The decoder of AArch64 is tested on x86, too: the linker takes it instead of the archive's.
ORACLES	  += $(BUILD)/tests/oracle/code_compare_aarch64
BENCHES	  := $(patsubst %.c,$(BUILD)/%,$(filter-out $(STAGES),$(wildcard tests/bench/*.c)))
FUZZERS	  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
SMOKES	  := $(FUZZERS:%=%.smoke)
C_FILES	  := $(wildcard src/*.c src/*/*.[ch] ui/*.[ch] ui/*/*.[ch] include/*/*.h tests/*/*.c tests/*/*/*.c tests/*/*.h)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all tests unit-programs run check quick compdb check-unit fuzz-smoke build-asan check-asan build-tsan \
	check-tsan build-fuzz build-aarch64 aarch64-programs check-layers check-doors lint format bench \
	fuzz faults prove evictions mutants mutants-run \
	screenshots install uninstall clean packages-build packages-test packages-bench \
	packages-screenshots $(SMOKES)

# The program itself prints both; one for another machine doesn't run here, and they are the same.
PRINTED := $(if $(IS_OWN),$(BUILD)/flametop.8 $(BUILD)/flametop-presets.7 $(BUILD)/flametop.bash)
SPEC_PAGE := src/cli/flametop-spec.7

all: $(BUILD)/flametop $(PRINTED)

$(BUILD)/flametop: $(BUILD)/obj/src/main.o $(ARCHIVES)
	$(say)$(CC) $(LINK) -o $@ $< $(LINKED)

# Made by the program, from the tables that it works with itself.
$(BUILD)/flametop.8: $(BUILD)/flametop
	$(say)$< --print-man >$@
$(BUILD)/flametop-presets.7: $(BUILD)/flametop
	$(say)$< --print-man=presets >$@
$(BUILD)/flametop.bash: $(BUILD)/flametop
	$(say)$< --print-completion >$@

# Sorted lists of objects decide what an archive holds, so it is always made anew.
define archive
$(BUILD)/$(1).a: $(call objects,$(2))
	@rm -f $$@
	$$(say)$(AR) rcs $$@ $$^
endef
$(foreach room,$(ROOMS),$(eval $(call archive,$(room),$(filter-out $(NOT_HERE),\
	$(wildcard src/$(room)/*.c src/$(room)/*.in)))))
$(eval $(call archive,ui,$(wildcard ui/*.c ui/*/*.c)))

# A room's private headers lie beside its .c files; tests look into all rooms.
$(BUILD)/obj/ui/%.o: WITHIN := -Iui
$(BUILD)/obj/tests/%.o: WITHIN := -Isrc -I. -Iui -Itests/unit

$(BUILD)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(say)$(CC) $(FLAGS) $(WITHIN) $(CFLAGS) -MMD -MP -c -o $@ $<

# A text file is a string that is named after it: src/cli/flametop.8.in is flametop_8_in[].
$(BUILD)/obj/%.in.c: %.in Makefile
	@mkdir -p $(@D)
	$(say)( echo 'const char $(subst .,_,$(<F))[] ='; \
		sed 's/["\\?]/\\&/g; s/.*/"&\\n"/' $<; echo ';' ) >$@
$(BUILD)/obj/%.in.o: $(BUILD)/obj/%.in.c
	$(say)$(CC) $(FLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(WRITERS) $(ARCHIVES)
	@mkdir -p $(@D)
	$(say)$(CC) $(LINK) -o $@ $< $(BESIDES) $(WRITERS) $(LINKED) -lcmocka
$(BUILD)/tests/oracle/code_compare_aarch64: $(BUILD)/obj/tests/oracle/code_compare.o \
		$(BUILD)/obj/src/elf/code_aarch64.o $(ARCHIVES)
	$(say)$(CC) $(LINK) -o $@ $(filter %.o,$^) $(LINKED) -lcapstone
# Tests that compare what threads say of their own waits.
$(BUILD)/tests/unit/bpf: | $(BUILD)/tests/workloads/waits
define unit_program
$(BUILD)/tests/unit/$(1): $(call objects,$(filter tests/unit/$(1)/%,$(UNIT_FILES)) tests/unit/unit_tests.c) \
		$(WRITERS) $(ARCHIVES)
	@mkdir -p $$(@D)
	$$(say)$(CC) $(LINK) -o $$@ $$(filter %.o,$$^) $(LINKED) -lcmocka
endef
$(foreach test,$(TESTS),$(eval $(call unit_program,$(notdir $(test)))))
$(BUILD)/tests/bench/stages: BESIDES := $(call objects,$(STAGES))
$(BUILD)/tests/bench/stages: $(call objects,$(STAGES))

$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(ARCHIVES)
	@mkdir -p $(@D)
	$(say)$(CC) $(LINK) -fsanitize=fuzzer -o $@ $< $(LINKED)

# A workload's profile is known beforehand: same compiler and flags in every build, frames that stay
# frames.
define workload
@mkdir -p $(@D)
$(say)$(if $(IS_OWN),gcc,$(CC)) $(ROOTED) -std=c11 -D_GNU_SOURCE -O1 -g $(CHAINS) -fno-optimize-sibling-calls \
	-Wall -Wextra -Wshadow -Wconversion -pthread -MMD -MP -o $@ $<
endef
$(BUILD)/tests/workloads/%: tests/workloads/%.c Makefile
	$(workload)
$(BUILD)/tests/faults/%: tests/faults/%.c Makefile
	$(workload)
$(BUILD)/tests/faults/%.so: tests/faults/preload/%.c Makefile
	@mkdir -p $(@D)
	$(say)$(CC) -std=c11 -D_GNU_SOURCE -O2 -g -fPIC -shared $(WARNINGS) -MMD -MP -o $@ $<
CHAINS := -fno-omit-frame-pointer $(X86_LEAF)
$(addprefix $(BUILD)/tests/workloads/,by_r12 hard_stacks moving_stacks stuck through_libc): CHAINS := -fomit-frame-pointer
$(BUILD)/tests/workloads/waits: CHAINS := -O2 -fomit-frame-pointer

# Of this build alone: another one below $(BUILD) may be writing its own meanwhile.
-include $(shell find $(BUILD)/obj $(BUILD)/tests -name '*.d' 2>/dev/null)

# A list: as a rule for any test_% it would also make the files tests/unit/*/test_*.c.
$(basename $(notdir $(wildcard tests/unit/*/test_*.c))): test_%:
	@$(MAKE) --no-print-directory $(BUILD)/tests/unit/$(call room_of,$(wildcard tests/unit/*/$@.c))
	$(BUILD)/tests/unit/$(call room_of,$(wildcard tests/unit/*/$@.c)) $@

tests: $(BUILD)/flametop $(TESTS) $(ORACLES) $(WORKLOADS) $(FAULTS) $(BUILD)/tests/mutants/elf_mutants

packages-build:
	@.ci/packages build
packages-test:
	@.ci/packages build test
packages-bench:
	@.ci/packages build test bench
packages-screenshots:
	@.ci/packages build screenshots

run: packages-build
	@$(MAKE) --no-print-directory all
	@if test -t 1; then $(AS_ROOT) $(BUILD)/flametop; \
	else $(AS_ROOT) $(BUILD)/flametop --batch=5; fi
# Without sudo it shows what an ordinary user may see. The redirection makes old makes use a shell.
AS_ROOT := $(if $(filter 0,$(shell id -u)),,$(shell command -v sudo 2>/dev/null))

check: packages-test
	@$(MAKE) --no-print-directory tests $(BENCHES)
	@BUILD=$(BUILD) tests/run

# Every row of the fault catalogue, long ones too; PEER=perf: perf top at the same provokers.
faults: packages-test
	@$(MAKE) --no-print-directory $(BUILD)/flametop $(WORKLOADS) $(FAULTS)
	@BUILD=$(BUILD) PEER=$(PEER) tests/faults/run

# What is too long for every change; tests/faults/prove says how much of it is asked for.
prove: packages-test
	@$(MAKE) --no-print-directory tests
	@BUILD=$(BUILD) tests/faults/prove $(STEPS)

# Symtabs that go and come back, under AddressSanitizer.
EVICTION_SECONDS ?= 60
evictions: packages-test
	@$(MAKE) --no-print-directory BUILD=$(ASAN_IN) $(ASAN) $(ASAN_IN)/flametop
	@EVICTION_SECONDS=$(EVICTION_SECONDS) BUILD=$(ASAN_IN) FLAMETOP=$(ASAN_IN)/flametop \
		WORKLOADS=$(BUILD)/tests/workloads tests/faults/check_evictions

unit-programs: $(TESTS)
check-unit: unit-programs
	@BUILD=$(BUILD) tests/run unit

# Hundreds of programs that are used once: lines are enough to find what they report.
QUICK	:= OPTIMIZE=-O1 CFLAGS=-g1 LDFLAGS=-fuse-ld=lld
# Those that bring foreign bytes in by all ways; what is of the threads is for ThreadSanitizer. With
# clang the build is that of the fuzzers.
FOREIGN := demangled names names_of_files probes run_time_code source_lines
COMMA	:= ,
IS_CLANG := $(findstring clang,$(CC))
ASAN_IN	:= $(BUILD)/$(if $(IS_CLANG),fuzz,asan)
ASAN	:= SANITIZE=$(if $(IS_CLANG),fuzzer-no-link$(COMMA))address,undefined $(QUICK)
build-asan: packages-test
	@$(MAKE) --no-print-directory BUILD=$(ASAN_IN) $(ASAN) unit-programs $(ASAN_IN)/flametop \
		$(WORKLOADS:$(BUILD)/%=$(ASAN_IN)/%)
check-asan: build-asan
	@BUILD=$(ASAN_IN) tests/run unit $(FOREIGN:%=live/check_%)

# Live tests in which all threads have something to do; unit tests that start threads, as strace -f
# -e clone3 shows.
THREADED := counts ends stacks targets tasks
UNITS	 := analyzer_requests analyzer_activity blocking_call capture capture_events counter_series crash \
	    demangled_names demangler elf_unwind file_copy file_watch ingest_cgroups ingest_jit \
	    ingest_kernel ingest_live ingest_dsos ingest_repeat ingest_switch ingest_unwind \
	    jit_files log mailbox dso_opener listing_documents debuginfod perf_data \
	    perf_data_damage probe_engine probe_leftovers probe_link process_reader process_stat \
	    replay retarget sampler sandbox service session_recordings snapshot_groups \
	    source_lines spsc stack_ends table_budget target target_finder task_stats thread_turn \
	    unwind_source
build-tsan: packages-test
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/tsan SANITIZE=thread $(QUICK) \
		UNIT_FILES="$(wildcard $(UNITS:%=tests/unit/*/test_%.c))" unit-programs \
		$(BUILD)/tsan/flametop $(WORKLOADS:$(BUILD)/%=$(BUILD)/tsan/%)
check-tsan: build-tsan
	@BUILD=$(BUILD)/tsan tests/run $(UNITS:%=unit/test_%) $(THREADED:%=live/check_%)

# The program and its tests for the emulated machine of tests/vm/pmu, with the libraries of that
# machine's own root. Tests that need them call for them, so that only one of them builds at a time.
AARCH64_IN   := $(BUILD)/aarch64
AARCH64_ROOT := $(BUILD)/vm/aarch64/root
AARCH64	     := CC=aarch64-linux-gnu-gcc BUILD=$(AARCH64_IN) SYSROOT=$(AARCH64_ROOT) OPTIMIZE=-O1 \
		CFLAGS=-g1
# The rooms whose unit tests are among them: those of every change.
AARCH64_ROOMS ?= base unwind
build-aarch64: packages-test
	@$(MAKE) --no-print-directory aarch64-programs
aarch64-programs:
	@mkdir -p $(AARCH64_IN)
	@tests/vm/package_root.py arm64 $(AARCH64_ROOT) \
		$$(.ci/packages --headers-for aarch64 build test)
	@flock $(AARCH64_IN)/lock $(MAKE) --no-print-directory $(AARCH64) \
		UNIT_FILES="$(wildcard $(AARCH64_ROOMS:%=tests/unit/%/test_*.c))" \
		$(AARCH64_IN)/flametop unit-programs $(WORKLOADS:$(BUILD)/%=$(AARCH64_IN)/%) \
		$(AARCH64_IN)/tests/oracle/walk_compare
	@echo $(AARCH64_ROOMS) >$(AARCH64_IN)/rooms

# Before a commit: builds, the unit tests of what changed, layers and format.
quick:
	@BUILD=$(BUILD) tests/quick
# compile_commands.json, for editors.
compdb:
	@mkdir -p $(BUILD)
	@$(MAKE) --always-make --dry-run --no-print-directory V=1 all tests >$(BUILD)/commands
	@.ci/compdb $(BUILD)/commands

check-layers: all
	@tests/check_layers
	@BUILD=$(BUILD) tests/check_circles
	@tests/check_house
check-doors: all
	@BUILD=$(BUILD) tests/check_doors
	@BUILD=$(BUILD) tests/check_signals

lint:
	@.ci/packages build lint
	@.ci/lint $(C_FILES)

format:
	@.ci/format $(C_FILES)

bench: packages-bench
	@$(MAKE) --no-print-directory $(BUILD)/flametop $(BENCHES) $(WORKLOADS)
	@BUILD=$(BUILD) tests/bench/run $(PARTS)

FUZZ	 := CC=clang BUILD=$(BUILD)/fuzz $(QUICK) SANITIZE=fuzzer-no-link,address,undefined
MUTANTS	 ?= 2000
FUZZ_SECONDS ?= 10
# What a fuzzer begins with; what it finds besides stays in the build.
CORPUS	  = tests/fuzz/corpus/$(@F:fuzz_%.smoke=%)
build-fuzz:
	@$(MAKE) --no-print-directory $(FUZZ) fuzzers
fuzz:
	@$(MAKE) --no-print-directory $(FUZZ) fuzz-smoke mutants-run
mutants:
	@$(MAKE) --no-print-directory $(FUZZ) mutants-run
mutants-run: $(BUILD)/tests/mutants/elf_mutants
	@$< $(MUTANTS)
fuzzers: $(FUZZERS) $(BUILD)/tests/mutants/elf_mutants
fuzz-smoke: $(SMOKES)
$(SMOKES): %.smoke: %
	@mkdir -p $<.corpus
	@$< -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$<- $<.corpus $(wildcard $(CORPUS)) \
		>$<.log 2>&1 || { tail -40 $<.log; exit 1; }
	@echo "$<: $$(tail -1 $<.log)"

screenshots: packages-screenshots
	@$(MAKE) --no-print-directory $(BUILD)/flametop $(BUILD)/tests/bench/unwind_rows
	@BUILD=$(BUILD) tests/screenshots/run

MAN_PAGE   = $(DESTDIR)$(PREFIX)/share/man/man8/flametop.8
SPEC_MAN_PAGE = $(DESTDIR)$(PREFIX)/share/man/man7/flametop-spec.7
PRESETS_MAN_PAGE = $(DESTDIR)$(PREFIX)/share/man/man7/flametop-presets.7
COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/flametop

install: all
	install -Dm755 $(BUILD)/flametop $(DESTDIR)$(PREFIX)/bin/flametop
	install -Dm644 $(BUILD)/flametop.8 $(MAN_PAGE)
	install -Dm644 $(SPEC_PAGE) $(SPEC_MAN_PAGE)
	install -Dm644 $(BUILD)/flametop-presets.7 $(PRESETS_MAN_PAGE)
	install -Dm644 $(BUILD)/flametop.bash $(COMPLETION)
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/flametop $(MAN_PAGE) $(SPEC_MAN_PAGE) $(PRESETS_MAN_PAGE) \
		$(COMPLETION)

clean:
	rm -rf $(BUILD)
