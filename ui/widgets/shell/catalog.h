/* The translations of the program.  SPDX-License-Identifier: MIT */
#pragma once

/* From here on _() speaks the language of the desktop, if resources/po has it. */
void ns_catalog_bind(void);
