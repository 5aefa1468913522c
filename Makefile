# uuid_keyorder: build, install and test with PGXS.
#
#   make PG_CONFIG=/path/to/pg_config          build for that server
#   make install                               install into it
#   make installcheck                          test a running server
#   make demo, make test, make bench-calls     see README.md

EXTENSION = uuid_keyorder
MODULE_big = uuid_keyorder
DATA = uuid_keyorder--1.0.sql
DOCS = doc/uuid_keyorder.md
PGFILEDESC = "uuid_keyorder - time-ordered ids and the state of their indexes"

OBJS = \
	$(WIN32RES) \
	src/buffer_sweep.o \
	src/clock.o \
	src/id_time.o \
	src/index_open.o \
	src/leaf_density.o \
	src/leaf_estimate.o \
	src/leaf_order.o \
	src/leaf_page.o \
	src/leaf_range.o \
	src/leaf_scan.o \
	src/leaf_visit.o \
	src/module.o \
	src/page_cache.o \
	src/randomness.o \
	src/relation_files.o \
	src/relation_names.o \
	src/residency.o \
	src/settings.o \
	src/snowflake_generate.o \
	src/turnover.o \
	src/turnover_counters.o \
	src/uuid_generate.o \
	src/uuid_min_max.o

# One topic a file: sql/ID.sql, expected/ID.out.  Those ahead of install begin
# without the extension and end without it.
REGRESS = \
	append_keys \
	residency \
	turnover \
	install \
	case_values \
	uuid_generate \
	uuid_time \
	uuid_min_max \
	bounds \
	snowflake \
	snowflake_layout \
	settings \
	privileges \
	leaf_density

# Two sessions: specs/ID.spec, expected/ID.out.
ISOLATION = \
	leaf_density_sessions \
	snowflake_schema \
	snowflake_sessions

TAP_TESTS = 1
EXTRA_CLEAN = src/*.gcda src/*.gcno

SOURCE := $(patsubst %/,%,$(dir $(abspath $(firstword $(MAKEFILE_LIST)))))

# These work before any server is installed, so they come ahead of PGXS.
SCRIPT_GOALS = demo test bench-calls
ifneq ($(filter $(SCRIPT_GOALS),$(MAKECMDGOALS)),)

.PHONY: $(SCRIPT_GOALS)
demo test bench-calls:
	@bash $(SOURCE)/scripts/$@

else

# Outside the source tree; not every server's PGXS finds the source by itself.
ifneq ($(CURDIR),$(SOURCE))
VPATH = $(SOURCE)
endif

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# A build outside the source tree needs the folder of the objects; by its full
# name, or make would be content with the one in the source.
$(OBJS) $(OBJS:.o=.bc): | $(CURDIR)/src
$(CURDIR)/src:
	mkdir -p $@

# PGXS of packaged servers tracks no header: say what depends on headers.
$(OBJS) $(OBJS:.o=.bc): $(wildcard $(srcdir)/src/*.h)

# As core does for checksums: line pointers are looked at by the vector.
src/leaf_page.o: CFLAGS += $(CFLAGS_UNROLL_LOOPS) $(CFLAGS_VECTORIZE)

endif
