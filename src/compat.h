/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  The one door for differences between PostgreSQL majors.
 *
 * No other file names PG_VERSION_NUM.  The rest of the source is written
 * against the newest major; what older ones lack is emulated here, one block
 * per change, with the major and the upstream commit that made it.  Dropping
 * a major is deleting blocks.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/compat.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_COMPAT_H
#define UUID_KEYORDER_COMPAT_H

#include "common/relpath.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/tuplestore.h"

#if PG_VERSION_NUM < 140000
#error "uuid_keyorder needs PostgreSQL 14 or later"
#endif

/* 16 moved the access to variable-length datums to a header (d952373a987). */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 15 renamed EmitWarningsOnPlaceholders and made it reserve (5609cc01c69). */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/*
 * 15 took the setting up of a materialized result into funcapi.c (9e98583898c,
 * named so by a19e5cee635).
 */
#if PG_VERSION_NUM < 150000
static inline void
InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old_context;

	if (result == NULL || !IsA(result, ReturnSetInfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	if ((result->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("materialize mode required, but it is not allowed in this context")));

	old_context = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, &result->setDesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	result->returnMode = SFRM_Materialize;
	result->setResult =
		tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
							  false, work_mem);
	MemoryContextSwitchTo(old_context);
}

typedef void (*shmem_request_hook_type) (void);
#endif

/*
 * 15 gave the request for shared memory a hook of its own (4f2400cb3f1).
 * Before, _PG_init made the request itself.  Returns the hook before, which
 * the new one has to call.
 */
static inline shmem_request_hook_type
set_shmem_request_hook(shmem_request_hook_type hook)
{
#if PG_VERSION_NUM >= 150000
	shmem_request_hook_type previous = shmem_request_hook;

	shmem_request_hook = hook;
	return previous;
#else
	hook();
	return NULL;
#endif
}

/* Infinite intervals came with 17 (519fc1bd9e9). */
#ifndef INTERVAL_NOT_FINITE
#define INTERVAL_NOT_FINITE(interval) (false)
#endif

/* 15 gave the special space of btree pages its own macro (d16773cdc86). */
#if PG_VERSION_NUM < 150000
#define BTPageGetOpaque(page) ((BTPageOpaque) PageGetSpecialPointer(page))
#endif

/*
 * 15 put pg_prng in place of erand48 (3804539e48e), so that the state of a
 * sampler is no longer an array.  For whoever includes utils/sampling.h.
 */
#if PG_VERSION_NUM >= 150000
#define block_sampler_random_fract(sampler) sampler_random_fract(&(sampler)->randstate)
#else
#define block_sampler_random_fract(sampler) sampler_random_fract((sampler)->randstate)
#endif

/* 17 made index functions run with a safe search_path (2af07e2f749). */
#if PG_VERSION_NUM < 170000
static inline void
RestrictSearchPath(void)
{
	set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
					  PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}
#endif

/*
 * 17 brought read streams (b5a9b18cd0b), 18 batches in them (ae3df4b3415).
 * Before, each block is read when it is asked for.  Data per buffer is not
 * emulated.
 */
#if PG_VERSION_NUM >= 170000
#include "storage/read_stream.h"
#else
#include "storage/bufmgr.h"

#define READ_STREAM_MAINTENANCE 0
#define READ_STREAM_FULL 0

typedef struct ReadStream ReadStream;
typedef BlockNumber (*ReadStreamBlockNumberCB) (ReadStream *stream,
												void *callback_private_data,
												void *per_buffer_data);
struct ReadStream
{
	BufferAccessStrategy strategy;
	Relation	relation;
	ForkNumber	fork;
	ReadStreamBlockNumberCB callback;
	void	   *callback_private_data;
};

static inline ReadStream *
read_stream_begin_relation(int flags, BufferAccessStrategy strategy,
						   Relation relation, ForkNumber fork,
						   ReadStreamBlockNumberCB callback,
						   void *callback_private_data,
						   size_t per_buffer_data_size)
{
	ReadStream *stream = (ReadStream *) palloc(sizeof(ReadStream));

	stream->strategy = strategy;
	stream->relation = relation;
	stream->fork = fork;
	stream->callback = callback;
	stream->callback_private_data = callback_private_data;
	return stream;
}

static inline Buffer
read_stream_next_buffer(ReadStream *stream, void **per_buffer_data)
{
	BlockNumber block = stream->callback(stream, stream->callback_private_data, NULL);

	if (block == InvalidBlockNumber)
		return InvalidBuffer;
	return ReadBufferExtended(stream->relation, stream->fork, block, RBM_NORMAL,
							  stream->strategy);
}

static inline void
read_stream_end(ReadStream *stream)
{
	pfree(stream);
}
#endif

#ifndef READ_STREAM_USE_BATCHING
#define READ_STREAM_USE_BATCHING 0
#endif

/* 17 numbers backends by their PGPROC (024c5211175, ab355e3a88d). */
#if PG_VERSION_NUM >= 170000
#include "storage/procnumber.h"
#else
#include "storage/backendid.h"
#define INVALID_PROC_NUMBER				InvalidBackendId
#define ProcNumberForTempRelations()	BackendIdForTempRelations()
#endif

/*
 * 16 named what tells the files of a relation apart RelFileNumber (b0a55e43299)
 * and laid the fields of a buffer tag open under new names, with functions for
 * two of them (82ac34db203).
 */
#if PG_VERSION_NUM < 160000
typedef Oid RelFileNumber;
#define InvalidRelFileNumber			((RelFileNumber) InvalidOid)
#define RelationMapOidToFilenumber(relation, shared) \
	RelationMapOidToFilenode(relation, shared)
#define BufTagGetRelNumber(tag)			((tag)->rnode.relNode)
#define BufTagGetForkNum(tag)			((tag)->forkNum)
#define buffer_tag_tablespace(tag)		((tag)->rnode.spcNode)
#define buffer_tag_database(tag)		((tag)->rnode.dbNode)
#else
#define buffer_tag_tablespace(tag)		((tag)->spcOid)
#define buffer_tag_database(tag)		((tag)->dbOid)
#endif

/*
 * The state of a buffer header has 64 bits from 19 on (686dc97f6e3), and its
 * lock is released without handing the state back (a8d4fde35c0).  For whoever
 * includes storage/buf_internals.h; the state is what LockBufHdr() returned.
 */
#if PG_VERSION_NUM >= 190000
typedef uint64 BufferState;
#define read_buffer_state(header)			pg_atomic_read_u64(&(header)->state)
#define unlock_buffer_header(header, value)	((void) (value), UnlockBufHdr(header))
#else
typedef uint32 BufferState;
#define read_buffer_state(header)			pg_atomic_read_u32(&(header)->state)
#define unlock_buffer_header(header, value)	UnlockBufHdr(header, value)
#endif

/*
 * Path of a fork's first segment, relative to the data directory.  18 returns
 * it by value (37c87e63f9e), before it was palloc'd.
 */
static inline void
get_relation_path(char *path, Size size, Oid tablespace, Oid database,
				  RelFileNumber number, int backend, ForkNumber fork)
{
#if PG_VERSION_NUM >= 180000
	RelPathStr	core_path = GetRelationPath(database, tablespace, number, backend, fork);

	strlcpy(path, core_path.str, size);
#else
	char	   *core_path = GetRelationPath(database, tablespace, number, backend, fork);

	strlcpy(path, core_path, size);
	pfree(core_path);
#endif
}

/* 18 named the loaded module in the magic block (9324c8c5806). */
#ifndef PG_MODULE_MAGIC_EXT
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/*
 * Shared memory by name without preloading.  17 brought the registry of
 * dynamic shared memory (8b2bcf3f287), 19 an argument for the initializer
 * (48d4a1423d2).  Before, a little main shared memory is left over for those
 * who come late.
 */
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#else
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#endif

#if PG_VERSION_NUM >= 190000
static inline void
initialize_named_shared_memory(void *address, void *initialize)
{
	((void (*) (void *)) initialize) (address);
}
#endif

static inline void *
get_named_shared_memory(const char *name, Size size, void (*initialize) (void *))
{
	bool		found;
#if PG_VERSION_NUM >= 190000
	return GetNamedDSMSegment(name, size, initialize_named_shared_memory, &found,
							  (void *) initialize);
#elif PG_VERSION_NUM >= 170000
	return GetNamedDSMSegment(name, size, initialize, &found);
#else
	void	   *address;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	address = ShmemInitStruct(name, size, &found);
	if (!found)
		initialize(address);
	LWLockRelease(AddinShmemInitLock);
	return address;
#endif
}

#endif							/* UUID_KEYORDER_COMPAT_H */
