/*-------------------------------------------------------------------------
 *
 * turnover.c
 *	  The background sampler of pages loaded and evicted.
 *
 * The buffer manager counts evictions, but not whose page went, and calls no
 * hook.  So a background worker remembers which page each shared buffer holds
 * and looks again every uuid_keyorder.turnover_interval.  Where the page is
 * another, the relation of the old one lost a page and that of the new one
 * gained one.  What changes twice between two looks is seen once, and what
 * comes back into the same buffer not at all: counts are a lower bound, tight
 * while few buffers change per look.
 *
 * A page that left is counted as evicted, except when it is seen that it was
 * not pushed out but ceased to be:
 * - its buffer is empty and in nobody's hands.  DROP, TRUNCATE and the
 *	 truncation by VACUUM leave buffers so, and so does pg_buffercache_evict().
 *	 (16 and later empty a victim's buffer too, but pinned.)
 * - its buffer holds another page, but the file of the old one ends before it.
 *
 * What was seen is kept in memory of the worker, 24 bytes a buffer, 0.3 % of
 * shared_buffers: nobody else needs it, it is worth nothing after a restart of
 * the worker, and so a server with the interval at 0 keeps none of it.  Only
 * the counters are shared (turnover_counters.c).
 *
 * Locks.  A look reads the headers without a lock; only where a page differs
 * it locks that header for the time of copying its tag, as pg_buffercache does
 * for every buffer.  Nothing in a look holds an LWLock.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/turnover.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "clock.h"
#include "compat.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "relation_files.h"
#include "settings.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "turnover.h"
#include "turnover_counters.h"
#include "utils/memutils.h"

/* As pg_stat_activity.backend_type shows it. */
#define WORKER_NAME			"uuid_keyorder turnover sampler"

/* Seconds until the postmaster starts the worker again. */
#define WORKER_RESTART_S	5

/* Buffers between two looks for a shutdown request: some 50 microseconds. */
#define BUFFERS_PER_CHECK	8192

/* Losses that are settled at once. */
#define MAX_LOSSES			16384

/* The pause before a look is this many times as long as the look before. */
#define REST_FACTOR			9

#define NS_PER_MS			INT64CONST(1000000)

/* The page that a buffer held at the last look. */
typedef struct SeenBuffer
{
	BufferTag	tag;			/* where occupied */
	bool		occupied;
	bool		dirty;
} SeenBuffer;

/* The changes of one relation in a look: an entry of the hash. */
typedef struct RelationChange
{
	TurnoverChange change;		/* must be first: begins with the hash key */

	/* Used, and put back, by settle_losses(). */
	BlockNumber highest_lost[MAX_FORKNUM + 1];
	BlockNumber file_end[MAX_FORKNUM + 1];	/* InvalidBlockNumber: not known */
} RelationChange;

/* A page that left its buffer, evicted or removed. */
typedef struct Loss
{
	RelationChange *relation;
	ForkNumber	fork;
	BlockNumber block;
	bool		dirty;
} Loss;

/* The worker's memory of the last look. */
typedef struct Sampler
{
	SeenBuffer *seen;			/* NBuffers of them; NULL while off */
	int64		started_ns;		/* of the last look, monotonic clock */
	int64		duration_ns;	/* of the last look */
	MemoryContext look_context; /* what lives as long as a look */
	HTAB	   *changes;		/* of the current look, in look_context */
	int			nlosses;
	Loss		losses[MAX_LOSSES];
} Sampler;

/*
 * Serve what may not wait.  Leaves the process when it is to stop: with exit
 * code 1, as the logical replication launcher, so that the postmaster starts
 * the worker again after pg_terminate_backend().
 */
static void
serve_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();

	if (ShutdownRequestPending)
		proc_exit(1);

	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}

/* The entry of a tag's relation in the changes of this look. */
static RelationChange *
change_of_relation(Sampler *sampler, const BufferTag *tag)
{
	RelationFile file;
	RelationChange *relation;
	bool		found;

	file.tablespace = buffer_tag_tablespace(tag);
	file.database = buffer_tag_database(tag);
	file.number = BufTagGetRelNumber(tag);

	relation = hash_search(sampler->changes, &file, HASH_ENTER, &found);
	if (!found)
	{
		memset(&relation->change.counts, 0, sizeof(relation->change.counts));
		memset(relation->highest_lost, 0, sizeof(relation->highest_lost));
		for (int fork = 0; fork <= MAX_FORKNUM; fork++)
			relation->file_end[fork] = InvalidBlockNumber;
	}
	return relation;
}

/*
 * Count each loss as an eviction, or as a removal when its file ends before
 * it.  One look at a file serves for all losses of a fork: only where the
 * highest lost block is missing does it matter where exactly the file ends.
 */
static void
settle_losses(Sampler *sampler)
{
	Loss	   *end = sampler->losses + sampler->nlosses;

	for (Loss *loss = sampler->losses; loss < end; loss++)
	{
		BlockNumber *highest = &loss->relation->highest_lost[loss->fork];

		*highest = Max(*highest, loss->block);
	}

	for (Loss *loss = sampler->losses; loss < end; loss++)
	{
		RelationChange *relation = loss->relation;
		TurnoverCounts *counts = &relation->change.counts;
		BlockNumber *file_end = &relation->file_end[loss->fork];

		if (*file_end == InvalidBlockNumber)
			*file_end = uuid_keyorder_fork_end(&relation->change.file, loss->fork,
											   relation->highest_lost[loss->fork]);
		if (loss->block >= *file_end)
			counts->removed_pages++;
		else
		{
			counts->evicted_pages++;
			counts->evicted_dirty_pages += loss->dirty;
		}
	}

	for (Loss *loss = sampler->losses; loss < end; loss++)
	{
		loss->relation->highest_lost[loss->fork] = 0;
		loss->relation->file_end[loss->fork] = InvalidBlockNumber;
	}
	sampler->nlosses = 0;
}

/* Note that the page seen in a buffer has left it. */
static void
note_loss(Sampler *sampler, const SeenBuffer *seen, bool now_empty)
{
	RelationChange *relation = change_of_relation(sampler, &seen->tag);
	Loss	   *loss;

	if (now_empty)
	{
		relation->change.counts.removed_pages++;
		return;
	}

	if (sampler->nlosses == MAX_LOSSES)
		settle_losses(sampler);
	loss = &sampler->losses[sampler->nlosses++];
	loss->relation = relation;
	loss->fork = BufTagGetForkNum(&seen->tag);
	loss->block = seen->tag.blockNum;
	loss->dirty = seen->dirty;
}

/* Whether a buffer holds the page that was seen in it, as far as known. */
static inline bool
holds_seen_page(const SeenBuffer *seen, const BufferTag *tag, BufferState state)
{
	bool		occupied = (state & BM_TAG_VALID) != 0;

	/* A tag has no padding, as it is a hash key of core. */
	return occupied == seen->occupied &&
		(!occupied || memcmp(tag, &seen->tag, sizeof(BufferTag)) == 0);
}

/*
 * Look at a buffer whose page seems to be another, this time under the lock of
 * its header, and note what it lost and gained unless this is the first look.
 * Returns whether the page is another indeed.
 */
static bool
look_closely(Sampler *sampler, BufferDesc *header, SeenBuffer *seen, bool first)
{
	BufferState state;
	BufferTag	tag;
	bool		occupied;

	state = LockBufHdr(header);
	tag = header->tag;
	unlock_buffer_header(header, state);

	occupied = (state & BM_TAG_VALID) != 0;
	if (holds_seen_page(seen, &tag, state))
	{
		seen->dirty = occupied && (state & BM_DIRTY) != 0;
		return false;
	}

	if (!first)
	{
		if (seen->occupied)
			note_loss(sampler, seen,
					  !occupied && BUF_STATE_GET_REFCOUNT(state) == 0);
		if (occupied)
			change_of_relation(sampler, &tag)->change.counts.loaded_pages++;
	}

	seen->tag = tag;
	seen->occupied = occupied;
	seen->dirty = occupied && (state & BM_DIRTY) != 0;
	return true;
}

/*
 * One pass over all buffer headers.  Returns the number of buffers that hold
 * another page than at the last look; their changes are in sampler->changes.
 */
static int64
look_at_buffers(Sampler *sampler, bool first)
{
	int64		changed_buffers = 0;

	for (int i = 0; i < NBuffers; i++)
	{
		BufferDesc *header = GetBufferDescriptor(i);
		SeenBuffer *seen = &sampler->seen[i];
		BufferState state;

		if (i % BUFFERS_PER_CHECK == 0)
			serve_interrupts();

		state = read_buffer_state(header);
		if (likely(holds_seen_page(seen, &header->tag, state)))
			seen->dirty = seen->occupied && (state & BM_DIRTY) != 0;
		else
			changed_buffers += look_closely(sampler, header, seen, first);
	}

	settle_losses(sampler);
	return changed_buffers;
}

/*
 * Take a look and hand the changes over.  The first one after the sampler was
 * switched on only takes note of what is there.
 */
static void
take_look(Sampler *sampler)
{
	bool		first = (sampler->seen == NULL);
	int64		started_ns = uuid_keyorder_monotonic_clock_ns();
	TurnoverLook look;
	HASHCTL		control = {0};

	if (first)
		sampler->seen = MemoryContextAllocExtended(TopMemoryContext,
												   sizeof(SeenBuffer) * (Size) NBuffers,
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	control.keysize = sizeof(RelationFile);
	control.entrysize = sizeof(RelationChange);
	control.hcxt = sampler->look_context;
	sampler->changes = hash_create("relations changed in a look", 256, &control,
								   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	sampler->nlosses = 0;

	look.changed_buffers = look_at_buffers(sampler, first);
	look.interval_ns = started_ns - sampler->started_ns;
	look.duration_ns = uuid_keyorder_monotonic_clock_ns() - started_ns;
	if (!first)
		uuid_keyorder_turnover_counters_add(&look, sampler->changes);

	sampler->started_ns = started_ns;
	sampler->duration_ns = look.duration_ns;
	MemoryContextReset(sampler->look_context);
}

/* Forget the last look while the sampler is off. */
static void
forget_looks(Sampler *sampler)
{
	if (sampler->seen != NULL)
		pfree(sampler->seen);
	sampler->seen = NULL;
}

/*
 * Milliseconds until the next look; -1 while the sampler is off.
 *
 * Whatever the setting, the worker rests nine times as long as it looks: it
 * never takes more than a tenth of a core.
 */
static long
wait_ms(const Sampler *sampler)
{
	int64		interval_ns = uuid_keyorder_turnover_interval_ms * NS_PER_MS;
	int64		left_ns;

	if (interval_ns == 0)
		return -1;
	if (sampler->seen == NULL)
		return 0;

	interval_ns = Max(interval_ns, (REST_FACTOR + 1) * sampler->duration_ns);
	left_ns = sampler->started_ns + interval_ns - uuid_keyorder_monotonic_clock_ns();
	return left_ns <= 0 ? 0 : (long) ((left_ns + NS_PER_MS - 1) / NS_PER_MS);
}

/*
 * The worker.  It is connected to no database; being connected at all is what
 * makes pg_stat_activity show it.  It sleeps without a timeout while the
 * interval is 0.  Any ERROR ends it, and the postmaster starts it again.
 */
void
uuid_keyorder_turnover_main(Datum argument)
{
	Sampler    *sampler;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	sampler = MemoryContextAllocZero(TopMemoryContext, sizeof(Sampler));
	sampler->look_context = AllocSetContextCreate(TopMemoryContext,
												  "one look at the buffers",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(sampler->look_context);

	for (;;)
	{
		long		timeout_ms;

		serve_interrupts();

		timeout_ms = wait_ms(sampler);
		if (timeout_ms < 0)
			forget_looks(sampler);
		else if (timeout_ms == 0)
		{
			take_look(sampler);
			continue;
		}

		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
						 (timeout_ms < 0 ? 0 : WL_TIMEOUT),
						 timeout_ms, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/*
 * Ask for shared memory and the worker, when the library is preloaded.  The
 * worker begins as soon as a standby can be queried.  Called from _PG_init.
 */
void
uuid_keyorder_turnover_init(void)
{
	BackgroundWorker worker = {0};

	if (!process_shared_preload_libraries_in_progress)
		return;

	uuid_keyorder_turnover_counters_init();

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_ConsistentState;
	worker.bgw_restart_time = WORKER_RESTART_S;
	strlcpy(worker.bgw_name, WORKER_NAME, BGW_MAXLEN);
	strlcpy(worker.bgw_type, WORKER_NAME, BGW_MAXLEN);
	strlcpy(worker.bgw_library_name, "uuid_keyorder", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "uuid_keyorder_turnover_main", BGW_MAXLEN);
	RegisterBackgroundWorker(&worker);
}
