/*-------------------------------------------------------------------------
 *
 * settings.c
 *	  Every setting of the extension.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/settings.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "settings.h"
#include "snowflake_layout.h"

/* One hour: looks further apart see little of what happened between them. */
#define MAX_TURNOVER_INTERVAL_MS	3600000

int			uuid_keyorder_node_id = 0;
int			uuid_keyorder_turnover_interval_ms = 0;

/*
 * Define the settings and reserve the prefix, so that a misspelt name is
 * reported.  Called once per process, from _PG_init.
 *
 * node_id follows the configuration file and a reload only: a session that
 * could choose its node could repeat another server's ids.
 */
void
uuid_keyorder_settings_init(void)
{
	DefineCustomIntVariable("uuid_keyorder.node_id",
							"Node number in the ids of snowflake_id().",
							"It must differ between servers whose ids meet in one table.",
							&uuid_keyorder_node_id,
							0, 0, SNOWFLAKE_KEYORDER_MAX_NODE,
							PGC_SIGHUP, 0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("uuid_keyorder.turnover_interval",
							"Time from one look of the turnover sampler to the next.",
							"0 switches it off. It runs only where shared_preload_libraries names uuid_keyorder.",
							&uuid_keyorder_turnover_interval_ms,
							0, 0, MAX_TURNOVER_INTERVAL_MS,
							PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("uuid_keyorder");
}
