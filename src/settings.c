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

int			uuid_keyorder_node_id = 0;

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

	MarkGUCPrefixReserved("uuid_keyorder");
}
