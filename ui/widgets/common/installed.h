/* The places of the program's own files.  SPDX-License-Identifier: MIT */
#pragma once

/* The folder `in_build` of the tree in which the program was built, if it runs there, else the
 * folder `installed` below the prefix into which it was installed; NULL if there is neither.  Free
 * with g_free. */
char *ns_installed_folder(const char *in_build, const char *installed);
