/*-------------------------------------------------------------------------
 *
 * module.c
 *	  The library: its magic block, and the order in which parts start.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/module.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "settings.h"
#include "turnover.h"

PG_MODULE_MAGIC_EXT(.name = "uuid_keyorder");

void		_PG_init(void);

/*
 * Runs once in each process that loads the library, or in the postmaster when
 * shared_preload_libraries names it.  Nothing is drawn, read or allocated
 * here that a child of fork must not share.
 */
void
_PG_init(void)
{
	uuid_keyorder_settings_init();
	uuid_keyorder_turnover_init();
}
