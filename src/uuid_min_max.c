/*-------------------------------------------------------------------------
 *
 * uuid_min_max.c
 *	  Transition functions of min(uuid) and max(uuid).
 *
 * The order is that of core's uuid_cmp: 16 unsigned bytes, left to right.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/uuid_min_max.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/uuid.h"

PG_FUNCTION_INFO_V1(uuid_keyorder_uuid_smaller);
PG_FUNCTION_INFO_V1(uuid_keyorder_uuid_larger);

/*
 * uuid_smaller(uuid, uuid) returns uuid
 */
Datum
uuid_keyorder_uuid_smaller(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *left = PG_GETARG_UUID_P(0);
	pg_uuid_t  *right = PG_GETARG_UUID_P(1);

	PG_RETURN_UUID_P(memcmp(left->data, right->data, UUID_LEN) <= 0 ? left : right);
}

/*
 * uuid_larger(uuid, uuid) returns uuid
 */
Datum
uuid_keyorder_uuid_larger(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *left = PG_GETARG_UUID_P(0);
	pg_uuid_t  *right = PG_GETARG_UUID_P(1);

	PG_RETURN_UUID_P(memcmp(left->data, right->data, UUID_LEN) >= 0 ? left : right);
}
