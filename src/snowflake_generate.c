/*-------------------------------------------------------------------------
 *
 * snowflake_generate.c
 *	  snowflake_id(): 64-bit ids that ascend over all backends of a server.
 *
 * One tick, "milliseconds << 12 | counter", is shared by all backends and
 * databases of the server.  A new id takes max(last + 1, now << 12) by
 * compare-and-swap: so ids ascend in the order in which they are made, a wall
 * clock that steps back never lowers them, and a full counter borrows from
 * the next millisecond.
 *
 * The shared state needs no preloading and is lost with the server.  What
 * outlives it is the mark: a sequence of the extension in each database,
 * above every id that was handed out there.  It is raised before the first id
 * above it leaves, ten seconds of id time at once, and its WAL is flushed
 * before that id leaves.  The first use after a start, whether after a crash
 * or on a promoted standby, begins above the mark.
 *
 * Ticks are claimed first and checked against the mark afterwards: a claimed
 * tick is nobody else's, so that whoever finds it above the mark may take its
 * time to raise it.
 *
 * Locks.  Claiming takes none.  Whoever reads the sequence to begin above it,
 * or raises it, holds ShareUpdateExclusiveLock on it meanwhile: it conflicts
 * with itself only, waits cancellably, and is given back at once.  setval()
 * leaves RowExclusiveLock until the end of the transaction, as nextval() does.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/snowflake_generate.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "clock.h"
#include "commands/sequence.h"
#include "compat.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "settings.h"
#include "snowflake_layout.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "timescale.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(uuid_keyorder_snowflake_id);
PG_FUNCTION_INFO_V1(uuid_keyorder_snowflake_status);

/* The sequence, in the schema of the function. */
#define MARK_SEQUENCE_NAME	"snowflake_id_mark"

/* How far a raise of the mark reaches, in milliseconds of id time. */
#define MARK_LEAD_MS		10000

/* How far speed may carry ids ahead of the clock, in milliseconds. */
#define MAX_BORROWED_MS		1000

/* A wall clock this far above the last id may have stepped: look at it. */
#define CLOCK_STEP_MS		(MAX_BORROWED_MS / 2)

/* Ids that a backend issues before it adds them to the shared count. */
#define MAX_UNREPORTED_IDS	1024

/* Length of one wait for the clock, in milliseconds. */
#define WAIT_MS				5

/*
 * Marks of the databases in use.  A slot belongs to "database << 32 |
 * sequence".  mark_id is 0 until someone has begun above the sequence.
 */
typedef struct MarkSlot
{
	pg_atomic_uint64 key;
	pg_atomic_uint64 mark_id;
} MarkSlot;

#define MARK_SLOTS			1024
#define MARK_SLOT_FREE		UINT64CONST(0)
#define MARK_SLOT_CHANGING	UINT64CONST(1)

typedef struct SnowflakeState
{
	/* Read and written by every call: a cache line of their own. */
	pg_atomic_uint64 last_tick;
	pg_atomic_uint64 ids_issued;
	char		padding[PG_CACHE_LINE_SIZE - 2 * sizeof(pg_atomic_uint64)];

	/*
	 * Distance of keyorder milliseconds above the monotonic clock.  The two
	 * together are a clock that goes on evenly when the wall clock steps
	 * back, until it has caught up: how fast ids are is measured by it.
	 */
	pg_atomic_uint64 clock_offset_ms;
	pg_atomic_uint64 next_victim;	/* slot to take when none is free */
	MarkSlot	marks[MARK_SLOTS];
} SnowflakeState;

static SnowflakeState *state = NULL;

/* Ids issued by this backend and not in ids_issued yet. */
static uint64 unreported_ids = 0;

/*
 * This backend's view: the sequence of its database and where its mark is.
 * The sequence is looked up anew when an invalidation said so, at the next
 * call: an id in the making goes on with the one it began with.
 */
static bool mark_sequence_known = false;
static Oid	mark_sequence = InvalidOid;
static uint64 mark_key = MARK_SLOT_FREE;
static MarkSlot *mark_slot = NULL;

/*-------------------------------------------------------------------------
 * Clocks
 *-------------------------------------------------------------------------
 */

/* Wall clock in milliseconds of the keyorder layout; negative before 2023. */
static inline int64
wall_clock_ms(void)
{
	return floor_divide(uuid_keyorder_wall_clock_ns(), NS_PER_MS) -
		SNOWFLAKE_KEYORDER->epoch_unix_ms;
}

static inline int64
monotonic_clock_ms(void)
{
	return uuid_keyorder_monotonic_clock_ns() / NS_PER_MS;
}

/* Raise the atomic to the value; it never goes down.  Both as signed. */
static void
atomic_raise(pg_atomic_uint64 *atomic, int64 value)
{
	uint64		current = pg_atomic_read_u64(atomic);

	while ((int64) current < value &&
		   !pg_atomic_compare_exchange_u64(atomic, &current, (uint64) value))
		;
}

/*
 * Tell the even clock that this is the time.  While ids are ahead of it, it
 * may have stepped back, and the even clock does not follow.
 */
static void
note_clock_ms(int64 keyorder_ms)
{
	int64		offset_ms = keyorder_ms - monotonic_clock_ms();

	if (keyorder_ms >= snowflake_ms_from_tick(pg_atomic_read_u64(&state->last_tick)))
		pg_atomic_write_u64(&state->clock_offset_ms, (uint64) offset_ms);
	else
		atomic_raise(&state->clock_offset_ms, offset_ms);
}

/* Time by the even clock. */
static int64
even_clock_ms(void)
{
	return monotonic_clock_ms() + (int64) pg_atomic_read_u64(&state->clock_offset_ms);
}

/*-------------------------------------------------------------------------
 * Shared state
 *-------------------------------------------------------------------------
 */

static void
initialize_state(void *address)
{
	SnowflakeState *new_state = address;

	pg_atomic_init_u64(&new_state->last_tick, 0);
	pg_atomic_init_u64(&new_state->ids_issued, 0);
	pg_atomic_init_u64(&new_state->clock_offset_ms, (uint64) (PG_INT64_MIN / 2));
	pg_atomic_init_u64(&new_state->next_victim, 0);
	for (int i = 0; i < MARK_SLOTS; i++)
	{
		pg_atomic_init_u64(&new_state->marks[i].key, MARK_SLOT_FREE);
		pg_atomic_init_u64(&new_state->marks[i].mark_id, 0);
	}
}

/* Add what this backend issued to the count of the server. */
static void
report_issued_ids(void)
{
	pg_atomic_fetch_add_u64(&state->ids_issued, unreported_ids);
	unreported_ids = 0;
}

static void
report_issued_ids_at_exit(int code, Datum argument)
{
	report_issued_ids();
}

static void
attach_state(void)
{
	if (state == NULL)
	{
		state = get_named_shared_memory("uuid_keyorder snowflake 1.0",
										sizeof(SnowflakeState), initialize_state);
		before_shmem_exit(report_issued_ids_at_exit, (Datum) 0);
	}
}

/* Slot of that key, or NULL. */
static MarkSlot *
find_slot(uint64 key)
{
	for (int i = 0; i < MARK_SLOTS; i++)
	{
		if (pg_atomic_read_u64(&state->marks[i].key) == key)
			return &state->marks[i];
	}
	return NULL;
}

/* Give the slot that key and mark, if it still has that owner. */
static bool
change_slot(MarkSlot *slot, uint64 owner, uint64 key, int64 mark_id)
{
	if (owner == MARK_SLOT_CHANGING ||
		!pg_atomic_compare_exchange_u64(&slot->key, &owner, MARK_SLOT_CHANGING))
		return false;

	pg_write_barrier();
	pg_atomic_write_u64(&slot->mark_id, (uint64) mark_id);
	pg_write_barrier();
	pg_atomic_write_u64(&slot->key, key);
	return true;
}

/*
 * Find the slot of that key, or make one without a mark.  The caller holds the
 * lock on the sequence, so that a key gets one slot.  When all are taken, the
 * next in turn loses its own: its database begins above its mark once more.
 * No id repeats then, but ids of the whole server go ahead of the clock by up
 * to MARK_LEAD_MS for each round of the slots.
 */
static MarkSlot *
find_or_take_slot(uint64 key)
{
	MarkSlot   *slot = find_slot(key);

	for (int i = 0; slot == NULL && i < MARK_SLOTS; i++)
	{
		if (change_slot(&state->marks[i], MARK_SLOT_FREE, key, 0))
			slot = &state->marks[i];
	}
	while (slot == NULL)
	{
		MarkSlot   *victim = &state->marks[pg_atomic_fetch_add_u64(&state->next_victim, 1) % MARK_SLOTS];

		if (change_slot(victim, pg_atomic_read_u64(&victim->key), key, 0))
			slot = victim;
	}
	return slot;
}

/*
 * Publish the mark of this database.  The slot may have been lost to another
 * database meanwhile: it is never written to without being its owner.
 */
static void
publish_mark(int64 mark_id)
{
	do
	{
		mark_slot = find_or_take_slot(mark_key);
	} while (!change_slot(mark_slot, mark_key, mark_key, mark_id));
}

/*
 * Mark of this database as published, or 0 when someone has to begin above the
 * sequence.  The owner is looked at after the mark: a slot that changes hands
 * changes its owner first.
 */
static inline int64
published_mark(void)
{
	uint64		mark_id;

	if (mark_slot == NULL)
		return 0;
	mark_id = pg_atomic_read_u64(&mark_slot->mark_id);
	pg_read_barrier();
	return pg_atomic_read_u64(&mark_slot->key) == mark_key ? (int64) mark_id : 0;
}

/*-------------------------------------------------------------------------
 * The sequence
 *-------------------------------------------------------------------------
 */

/* Forget the sequence when it was dropped or altered, or all may have been. */
static void
forget_mark_sequence(Datum argument, Oid relation)
{
	if (relation == mark_sequence || relation == InvalidOid)
		mark_sequence_known = false;
}

/*
 * Learn which sequence belongs to the function, and attach to the shared
 * state: the sequence is the one beside it, in whatever schema both are.
 */
static void
resolve_mark_sequence(Oid function)
{
	static bool callback_registered = false;
	Oid			schema = get_func_namespace(function);
	Oid			sequence = get_relname_relid(MARK_SEQUENCE_NAME, schema);

	if (!OidIsValid(sequence) || get_rel_relkind(sequence) != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("sequence \"%s\" of extension \"uuid_keyorder\" does not exist",
						MARK_SEQUENCE_NAME),
				 errhint("Drop the extension and create it anew.")));

	attach_state();
	if (!callback_registered)
	{
		CacheRegisterRelcacheCallback(forget_mark_sequence, (Datum) 0);
		callback_registered = true;
	}

	mark_sequence_known = true;
	mark_sequence = sequence;
	mark_key = ((uint64) MyDatabaseId << 32) | sequence;
	mark_slot = find_slot(mark_key);
}

/* Owner of the sequence, in whose name it is read and written. */
static Oid
mark_sequence_owner(void)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(mark_sequence));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", mark_sequence);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/*
 * Value of the sequence, 0 when never set.  The calling user needs no
 * privilege on it: core's function runs in the owner's name.
 */
static int64
read_mark_sequence(void)
{
	LOCAL_FCINFO(call, 1);
	FmgrInfo	function;
	Datum		value;
	Oid			user;
	int			security_context;

	fmgr_info(F_PG_SEQUENCE_LAST_VALUE, &function);
	InitFunctionCallInfoData(*call, &function, 1, InvalidOid, NULL, NULL);
	call->args[0].value = ObjectIdGetDatum(mark_sequence);
	call->args[0].isnull = false;

	GetUserIdAndSecContext(&user, &security_context);
	SetUserIdAndSecContext(mark_sequence_owner(),
						   security_context | SECURITY_LOCAL_USERID_CHANGE);
	value = FunctionCallInvoke(call);
	SetUserIdAndSecContext(user, security_context);

	return call->isnull ? 0 : DatumGetInt64(value);
}

/*
 * Set the sequence and flush its WAL, so that no id under it is known to
 * anybody before the mark would survive a crash.  setval() does not roll back.
 */
static void
write_mark_sequence(int64 mark_id)
{
	Oid			user;
	int			security_context;

	GetUserIdAndSecContext(&user, &security_context);
	SetUserIdAndSecContext(mark_sequence_owner(),
						   security_context | SECURITY_LOCAL_USERID_CHANGE);
	DirectFunctionCall2(setval_oid, ObjectIdGetDatum(mark_sequence),
						Int64GetDatum(mark_id));
	SetUserIdAndSecContext(user, security_context);

	XLogFlush(XactLastRecEnd);
}

static void
report_out_of_range(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("timestamp out of range for snowflake id"),
			 errdetail("Snowflake ids support timestamps from 2023-01-01 to 2092-09-06."),
			 errhint("Check the clock of the server.")));
}

/* Highest id of the millisecond that lies MARK_LEAD_MS above, or the last. */
static int64
mark_above(int64 keyorder_ms)
{
	int64		mark_ms = Min(keyorder_ms + MARK_LEAD_MS,
							  snowflake_max_time(SNOWFLAKE_KEYORDER));

	return snowflake_compose_lowest(SNOWFLAKE_KEYORDER, mark_ms) |
		snowflake_low_mask(SNOWFLAKE_KEYORDER);
}

static inline int64
keyorder_ms_of_id(int64 id)
{
	return snowflake_get_unix_ms(SNOWFLAKE_KEYORDER, id) - SNOWFLAKE_KEYORDER->epoch_unix_ms;
}

/*
 * Make the published mark of this database at least wanted_id.
 *
 * Where the sequence stands above what was published, ids up to it may exist
 * that this server did not make since its start: it is a start, a promotion,
 * or a restored dump.  Then ticks go on above it.  Returns false in that case
 * when ticks claimed before may repeat such ids; the caller claims anew.
 */
static bool
raise_mark(int64 wanted_id)
{
	int64		published;
	int64		stored;
	bool		foreign_ids;

	LockRelationOid(mark_sequence, ShareUpdateExclusiveLock);
	mark_slot = find_slot(mark_key);
	published = published_mark();
	stored = read_mark_sequence();
	foreign_ids = stored > published;

	if (foreign_ids)
	{
		int64		stored_ms = keyorder_ms_of_id(stored);

		/* Not into the tick, which other databases share. */
		if (stored_ms >= snowflake_max_time(SNOWFLAKE_KEYORDER))
			ereport(ERROR,
					(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
					 errmsg("sequence \"%s\" leaves no snowflake id above it",
							MARK_SEQUENCE_NAME),
					 errhint("Set it to the highest id that was handed out.")));
		atomic_raise(&state->last_tick, snowflake_tick_from_ms(stored_ms + 1) - 1);
		note_clock_ms(stored_ms);
	}
	note_clock_ms(wall_clock_ms());

	if (foreign_ids || published == 0 || published < wanted_id)
	{
		int64		last_ms = snowflake_ms_from_tick(pg_atomic_read_u64(&state->last_tick));
		int64		highest_ms = Max(Max(last_ms, keyorder_ms_of_id(wanted_id)), wall_clock_ms());
		int64		mark_id;

		/* A clock that is wrong for a while must not use up the mark. */
		if (highest_ms > snowflake_max_time(SNOWFLAKE_KEYORDER))
			report_out_of_range();

		mark_id = mark_above(highest_ms);
		write_mark_sequence(mark_id);
		publish_mark(mark_id);
	}
	UnlockRelationOid(mark_sequence, ShareUpdateExclusiveLock);

	return !foreign_ids;
}

/*-------------------------------------------------------------------------
 * Ids
 *-------------------------------------------------------------------------
 */

static void
wait_for_clock(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 WAIT_MS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * The tick that follows last when the wall clock shows now_ms, or -1 when
 * speed has carried ids too far ahead and the clock has to catch up first.
 */
static inline int64
next_tick(int64 last, int64 now_ms)
{
	int64		ahead_ms;

	if (snowflake_tick_from_ms(now_ms) > last)
	{
		if (unlikely(now_ms - snowflake_ms_from_tick(last) > CLOCK_STEP_MS))
			note_clock_ms(now_ms);
		return snowflake_tick_from_ms(now_ms);
	}

	ahead_ms = snowflake_ms_from_tick(last + 1) - now_ms;
	if (unlikely(ahead_ms > MAX_BORROWED_MS) &&
		snowflake_ms_from_tick(last + 1) - even_clock_ms() > MAX_BORROWED_MS)
		return -1;
	return last + 1;
}

/*
 * Claim the next tick for this call.  Waits, cancellably and without a lock,
 * while ids are more than MAX_BORROWED_MS ahead through speed.  ERROR 22008
 * when the clock is before 2023 and no id was made yet, or past 2092.
 *
 * Who loses a race tries again by the same clock reading: the tick after the
 * winner's is no worse for it.
 */
static int64
claim_tick(void)
{
	int64		now_ms = wall_clock_ms();
	uint64		last = pg_atomic_read_u64(&state->last_tick);

	for (;;)
	{
		int64		next = next_tick((int64) last, now_ms);

		if (unlikely(next > SNOWFLAKE_MAX_TICK || (now_ms < 0 && last == 0)))
			report_out_of_range();
		else if (unlikely(next < 0))
		{
			wait_for_clock();
			now_ms = wall_clock_ms();
			last = pg_atomic_read_u64(&state->last_tick);
		}
		else if (pg_atomic_compare_exchange_u64(&state->last_tick, &last, (uint64) next))
			return next;
	}
}

/*
 * snowflake_id() returns bigint
 *
 * A new id of layout keyorder: 41 bits of milliseconds since 2023-01-01 UTC,
 * 10 bits of uuid_keyorder.node_id, 12 bits of counter.  Strictly ascending
 * in the order of the calls over all backends of the server; the order of
 * commits is another.  Never repeats within a database, over a crash, restart
 * or promotion with a slower clock.
 *
 * Like nextval(): ERROR 25006 in a read-only transaction and in recovery; an
 * aborted transaction leaves a gap.  ERROR 22008 outside 2023 to 2092.
 *
 * Costs a clock read and one atomic operation; about every ten seconds one
 * call of a database writes and flushes one WAL record.
 */
Datum
uuid_keyorder_snowflake_id(PG_FUNCTION_ARGS)
{
	int64		mark_id;
	int64		id;

	if (XactReadOnly)
		PreventCommandIfReadOnly("snowflake_id()");

	if (unlikely(!mark_sequence_known))
		resolve_mark_sequence(fcinfo->flinfo->fn_oid);

	do
	{
		/* Nothing is claimed before someone has begun above the sequence. */
		while (unlikely((mark_id = published_mark()) == 0))
			(void) raise_mark(0);
		id = snowflake_id_from_tick(claim_tick(), uuid_keyorder_node_id);
	} while (unlikely(id > mark_id) && !raise_mark(id));

	if (unlikely(++unreported_ids >= MAX_UNREPORTED_IDS))
		report_issued_ids();
	PG_RETURN_INT64(id);
}

/*
 * snowflake_status() returns one row
 *
 * What snowflake_id() stands at: node, last id of the server and its time, how
 * many milliseconds that is ahead of the wall clock (0 when it is not), the
 * mark of this database and its time, ids issued by the server.  What has not
 * been since the start of the server is NULL.  Works in recovery.  Other
 * sessions may each have issued up to MAX_UNREPORTED_IDS that do not count yet.
 */
Datum
uuid_keyorder_snowflake_status(PG_FUNCTION_ARGS)
{
	TupleDesc	descriptor;
	Datum		values[7] = {0};
	bool		nulls[7] = {false};
	int64		last_tick;
	int64		mark_id;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	if (!mark_sequence_known)
		resolve_mark_sequence(fcinfo->flinfo->fn_oid);
	report_issued_ids();
	last_tick = (int64) pg_atomic_read_u64(&state->last_tick);
	mark_id = read_mark_sequence();

	values[0] = Int32GetDatum(uuid_keyorder_node_id);
	values[1] = Int64GetDatum(snowflake_id_from_tick(last_tick, uuid_keyorder_node_id));
	values[2] = TimestampTzGetDatum(unix_ms_to_timestamp(snowflake_ms_from_tick(last_tick) +
														 SNOWFLAKE_KEYORDER->epoch_unix_ms));
	values[3] = Int64GetDatum(Max(snowflake_ms_from_tick(last_tick) - wall_clock_ms(), 0));
	nulls[1] = nulls[2] = nulls[3] = (last_tick == 0);
	values[4] = Int64GetDatum(mark_id);
	values[5] = TimestampTzGetDatum(unix_ms_to_timestamp(snowflake_get_unix_ms(SNOWFLAKE_KEYORDER, mark_id)));
	nulls[4] = nulls[5] = (mark_id == 0);
	values[6] = Int64GetDatum((int64) pg_atomic_read_u64(&state->ids_issued));

	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls)));
}
