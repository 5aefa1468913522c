/*-------------------------------------------------------------------------
 *
 * id_time.c
 *	  Time, node and counter out of ids; bounds of ids for a time.
 *
 * Everything here is a pure function of its arguments: IMMUTABLE, STRICT,
 * PARALLEL SAFE.  Nothing draws random bits or moves the state of a generator.
 * A bound is floored to the millisecond, also before an epoch.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/id_time.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "id_time.h"
#include "lib/stringinfo.h"
#include "nodes/primnodes.h"
#include "snowflake_layout.h"
#include "timescale.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"
#include "uuid_layout.h"

PG_FUNCTION_INFO_V1(uuid_keyorder_uuid_extract_version);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuid_extract_timestamp);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv7_timestamp);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv7_timestamp_us);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuid_prefix_timestamp);
PG_FUNCTION_INFO_V1(uuid_keyorder_snowflake_timestamp);
PG_FUNCTION_INFO_V1(uuid_keyorder_snowflake_node);
PG_FUNCTION_INFO_V1(uuid_keyorder_snowflake_counter);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv7_lower_bound);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv7_upper_bound);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuid_prefix_bound);
PG_FUNCTION_INFO_V1(uuid_keyorder_snowflake_lower_bound);
PG_FUNCTION_INFO_V1(uuid_keyorder_snowflake_upper_bound);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv8_append_timestamp);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv8_append_lower_bound);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuidv8_append_upper_bound);

/*
 * What 48 bits of Unix milliseconds can hold.  The last microsecond is .655000
 * as in core 18.6, not .655999.  Infinities lie outside.
 */
static inline bool
timestamp_fits_uuid(TimestampTz timestamp)
{
	return timestamp >= -POSTGRES_EPOCH_UNIX_US &&
		timestamp <= unix_ms_to_timestamp(UUIDV7_MAX_UNIX_MS);
}

/*
 * Unix microseconds of a time that is to go into a version 7 UUID.  ERROR
 * 22008 outside 1970-01-01 to 10889-08-02 05:31:50.655 UTC, with core's words.
 */
int64
uuid_keyorder_uuidv7_unix_us(TimestampTz timestamp)
{
	if (!timestamp_fits_uuid(timestamp))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range for UUID version 7"),
				 errdetail("UUID version 7 supports timestamps from 1970-01-01 to approximately year 10889.")));

	return timestamp_to_unix_us(timestamp);
}

/*
 * uuid_extract_version(uuid) returns smallint
 *
 * Version field, 0 to 15; NULL where the variant is not RFC 9562's.
 */
Datum
uuid_keyorder_uuid_extract_version(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);

	if (!uuid_has_rfc_variant(uuid->data))
		PG_RETURN_NULL();
	PG_RETURN_INT16(uuid_get_version(uuid->data));
}

/*
 * uuid_extract_timestamp(uuid) returns timestamptz
 *
 * Time of versions 1, 6 (to the microsecond) and 7 (to the millisecond); NULL
 * for any other version or variant.
 */
Datum
uuid_keyorder_uuid_extract_timestamp(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);

	if (!uuid_has_rfc_variant(uuid->data))
		PG_RETURN_NULL();

	switch (uuid_get_version(uuid->data))
	{
		case 1:
			PG_RETURN_TIMESTAMPTZ(gregorian_ticks_to_timestamp(uuid_get_v1_ticks(uuid->data)));
		case 6:
			PG_RETURN_TIMESTAMPTZ(gregorian_ticks_to_timestamp(uuid_get_v6_ticks(uuid->data)));
		case 7:
			PG_RETURN_TIMESTAMPTZ(unix_ms_to_timestamp(uuid_get_first48(uuid->data)));
		default:
			PG_RETURN_NULL();
	}
}

/*
 * uuidv7_timestamp(uuid) returns timestamptz
 *
 * Time of version 7 to the millisecond; NULL for anything else.
 */
Datum
uuid_keyorder_uuidv7_timestamp(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);

	if (!uuid_is_version(uuid->data, 7))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(unix_ms_to_timestamp(uuid_get_first48(uuid->data)));
}

/*
 * uuidv7_timestamp_us(uuid) returns timestamptz
 *
 * The same with rand_a read as a fraction of the millisecond: exact for ids
 * made here or by PostgreSQL 18, meaningless below the millisecond where the
 * maker put random bits or a counter there.
 */
Datum
uuid_keyorder_uuidv7_timestamp_us(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);

	if (!uuid_is_version(uuid->data, 7))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(unix_ms_to_timestamp(uuid_get_first48(uuid->data)) +
						  rand_a_to_microsecond(uuid_get_rand_a(uuid->data)));
}

/*
 * uuid_prefix_timestamp(text) returns timestamptz
 *
 * The first 48 bits of a UUID, given as text, read as Unix milliseconds
 * whatever version and variant say.  ERROR 22P02 where the text is no UUID.
 */
Datum
uuid_keyorder_uuid_prefix_timestamp(PG_FUNCTION_ARGS)
{
	char	   *string = text_to_cstring(PG_GETARG_TEXT_PP(0));
	pg_uuid_t  *uuid = DatumGetUUIDP(DirectFunctionCall1(uuid_in, CStringGetDatum(string)));

	PG_RETURN_TIMESTAMPTZ(unix_ms_to_timestamp(uuid_get_first48(uuid->data)));
}

/*
 * uuidv7_lower_bound(ts timestamptz) returns uuid
 *
 * Lowest version 7 UUID of the millisecond of ts.  ERROR 22008 outside the
 * range of version 7.
 */
Datum
uuid_keyorder_uuidv7_lower_bound(PG_FUNCTION_ARGS)
{
	int64		us = uuid_keyorder_uuidv7_unix_us(PG_GETARG_TIMESTAMPTZ(0));
	pg_uuid_t  *uuid = palloc(UUID_LEN);

	uuid_compose(uuid->data, 7, us / US_PER_MS, 0, 0);
	PG_RETURN_UUID_P(uuid);
}

/*
 * uuidv7_upper_bound(ts timestamptz) returns uuid
 *
 * Highest version 7 UUID of the millisecond of ts.  ERROR 22008 outside the
 * range of version 7.
 */
Datum
uuid_keyorder_uuidv7_upper_bound(PG_FUNCTION_ARGS)
{
	int64		us = uuid_keyorder_uuidv7_unix_us(PG_GETARG_TIMESTAMPTZ(0));
	pg_uuid_t  *uuid = palloc(UUID_LEN);

	uuid_compose(uuid->data, 7, us / US_PER_MS, UUIDV7_MAX_RAND_A, UUID_MAX_RAND_B);
	PG_RETURN_UUID_P(uuid);
}

/*
 * uuid_prefix_bound(ts timestamptz) returns uuid
 *
 * Lowest UUID of any version whose first 48 bits are the millisecond of ts.
 * Neither version nor variant is set.  ERROR 22008 where 48 bits end.
 */
Datum
uuid_keyorder_uuid_prefix_bound(PG_FUNCTION_ARGS)
{
	TimestampTz timestamp = PG_GETARG_TIMESTAMPTZ(0);
	pg_uuid_t  *uuid = palloc(UUID_LEN);

	if (!timestamp_fits_uuid(timestamp))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range for UUID prefix"),
				 errdetail("The first 48 bits of a UUID hold timestamps from 1970-01-01 to approximately year 10889.")));

	uuid_set_halves(uuid->data, (uint64) timestamp_to_unix_ms(timestamp) << 16, 0);
	PG_RETURN_UUID_P(uuid);
}

/* The error for a name that is no layout: it lists those that are. */
static void
report_unknown_layout(const char *name, int length)
{
	StringInfoData known;

	initStringInfo(&known);
	for (int i = 0; i < lengthof(snowflake_layouts); i++)
		appendStringInfo(&known, "%s\"%s\"", i > 0 ? ", " : "", snowflake_layouts[i].name);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized snowflake layout: \"%.*s\"", length, name),
			 errdetail("Known layouts are %s.", known.data)));
}

/* Layout of that name, in lower case as listed.  ERROR 22023 for another. */
static const SnowflakeLayout *
layout_by_name(const text *name)
{
	const char *string = VARDATA_ANY(name);
	int			length = VARSIZE_ANY_EXHDR(name);

	for (int i = 0; i < lengthof(snowflake_layouts); i++)
	{
		const SnowflakeLayout *layout = &snowflake_layouts[i];

		if (strlen(layout->name) == length && memcmp(layout->name, string, length) == 0)
			return layout;
	}

	report_unknown_layout(string, length);
	return NULL;				/* keep compiler quiet */
}

/* True when the argument stands as a constant in the call. */
static bool
argument_is_constant(const FmgrInfo *function, int argument)
{
	const Node *call = function->fn_expr;

	return call != NULL && IsA(call, FuncExpr) &&
		IsA(list_nth(((const FuncExpr *) call)->args, argument), Const);
}

/*
 * Layout named by the second argument.  A constant, as the default is, is looked
 * up once for a place of call: that is most of what such a call costs.
 */
static inline const SnowflakeLayout *
layout_argument(FunctionCallInfo fcinfo)
{
	FmgrInfo   *function = fcinfo->flinfo;
	const SnowflakeLayout *layout = function->fn_extra;

	if (layout == NULL)
	{
		layout = layout_by_name(PG_GETARG_TEXT_PP(1));
		if (argument_is_constant(function, 1))
			function->fn_extra = unconstify(SnowflakeLayout *, layout);
	}
	return layout;
}

/*
 * snowflake_timestamp(id bigint, layout text) returns timestamptz
 *
 * Time of the id to the millisecond; NULL for a negative id.  ERROR 22023 for
 * an unknown layout.
 */
Datum
uuid_keyorder_snowflake_timestamp(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	const SnowflakeLayout *layout = layout_argument(fcinfo);

	if (id < 0)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(unix_ms_to_timestamp(snowflake_get_unix_ms(layout, id)));
}

/*
 * snowflake_node(id bigint, layout text) returns int
 *
 * Node field; NULL for a negative id and where the layout has no node.  ERROR
 * 22023 for an unknown layout.
 */
Datum
uuid_keyorder_snowflake_node(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	const SnowflakeLayout *layout = layout_argument(fcinfo);

	if (id < 0 || layout->node_bits == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(snowflake_get_node(layout, id));
}

/*
 * snowflake_counter(id bigint, layout text) returns int
 *
 * Counter field; NULL for a negative id.  ERROR 22023 for an unknown layout.
 */
Datum
uuid_keyorder_snowflake_counter(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	const SnowflakeLayout *layout = layout_argument(fcinfo);

	if (id < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(snowflake_get_counter(layout, id));
}

/* "2023-01-01" for Unix milliseconds. */
static char *
date_of_unix_ms(int64 unix_ms)
{
	int			year,
				month,
				day;

	j2date((int) (unix_ms / (SECS_PER_DAY * MS_PER_S)) + UNIX_EPOCH_JDATE, &year, &month, &day);
	return psprintf("%04d-%02d-%02d", year, month, day);
}

/*
 * Time field of ts in the layout.  ERROR 22008 before its epoch and where its
 * milliseconds end.
 */
static int64
snowflake_time_field(const SnowflakeLayout *layout, TimestampTz timestamp)
{
	int64		time_field;

	if (!TIMESTAMP_NOT_FINITE(timestamp))
	{
		time_field = timestamp_to_unix_ms(timestamp) - layout->epoch_unix_ms;
		if (time_field >= 0 && time_field <= snowflake_max_time(layout))
			return time_field;
	}

	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("timestamp out of range for snowflake layout \"%s\"", layout->name),
			 errdetail("Layout \"%s\" supports timestamps from %s to %s.", layout->name,
					   date_of_unix_ms(layout->epoch_unix_ms),
					   date_of_unix_ms(layout->epoch_unix_ms + snowflake_max_time(layout)))));
}

/*
 * snowflake_lower_bound(ts timestamptz, layout text) returns bigint
 *
 * Lowest id of the millisecond of ts over all nodes and counters.
 */
Datum
uuid_keyorder_snowflake_lower_bound(PG_FUNCTION_ARGS)
{
	const SnowflakeLayout *layout = layout_argument(fcinfo);
	int64		time_field = snowflake_time_field(layout, PG_GETARG_TIMESTAMPTZ(0));

	PG_RETURN_INT64(snowflake_compose_lowest(layout, time_field));
}

/*
 * snowflake_upper_bound(ts timestamptz, layout text) returns bigint
 *
 * Highest id of the millisecond of ts over all nodes and counters.
 */
Datum
uuid_keyorder_snowflake_upper_bound(PG_FUNCTION_ARGS)
{
	const SnowflakeLayout *layout = layout_argument(fcinfo);
	int64		time_field = snowflake_time_field(layout, PG_GETARG_TIMESTAMPTZ(0));

	PG_RETURN_INT64(snowflake_compose_lowest(layout, time_field) | snowflake_low_mask(layout));
}

/*
 * Microseconds since the epoch of append keys.  ERROR 22008 outside what their
 * 41 bits of milliseconds hold, 2026-01-01 to 2095-09-07.
 */
int64
uuid_keyorder_append_us(TimestampTz timestamp)
{
	TimestampTz lowest = unix_ms_to_timestamp(UUIDV8_APPEND_EPOCH_UNIX_MS);

	if (timestamp < lowest ||
		timestamp > unix_ms_to_timestamp(UUIDV8_APPEND_EPOCH_UNIX_MS + UUIDV8_APPEND_MAX_MS))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range for append key"),
				 errdetail("Append keys support timestamps from 2026-01-01 to 2095-09-07.")));

	return timestamp - lowest;
}

/*
 * uuidv8_append_timestamp(uuid) returns timestamptz
 *
 * Time of an append key to the microsecond; NULL for anything else, also for
 * a version 8 UUID of another layout.
 */
Datum
uuid_keyorder_uuidv8_append_timestamp(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);

	if (!uuid_is_append_key(uuid->data))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(unix_ms_to_timestamp(UUIDV8_APPEND_EPOCH_UNIX_MS +
											   uuid_get_append_ms(uuid->data)) +
						  rand_a_to_microsecond(uuid_get_append_fraction(uuid->data)));
}

/*
 * uuidv8_append_lower_bound(ts timestamptz) returns uuid
 *
 * Lowest append key of the millisecond of ts.  ERROR 22008 outside 2026 to
 * 2095.
 */
Datum
uuid_keyorder_uuidv8_append_lower_bound(PG_FUNCTION_ARGS)
{
	int64		us = uuid_keyorder_append_us(PG_GETARG_TIMESTAMPTZ(0));
	pg_uuid_t  *uuid = palloc(UUID_LEN);

	uuid_set_append_key(uuid->data, us / US_PER_MS, 0, 0);
	PG_RETURN_UUID_P(uuid);
}

/*
 * uuidv8_append_upper_bound(ts timestamptz) returns uuid
 *
 * Highest append key of the millisecond of ts.  ERROR 22008 outside 2026 to
 * 2095.
 */
Datum
uuid_keyorder_uuidv8_append_upper_bound(PG_FUNCTION_ARGS)
{
	int64		us = uuid_keyorder_append_us(PG_GETARG_TIMESTAMPTZ(0));
	pg_uuid_t  *uuid = palloc(UUID_LEN);

	uuid_set_append_key(uuid->data, us / US_PER_MS, UUIDV7_MAX_RAND_A, UUIDV8_APPEND_MAX_RANDOM);
	PG_RETURN_UUID_P(uuid);
}
