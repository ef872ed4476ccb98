/* The columns of a log, what they are taken for, and choices that are remembered.  Internal to
 * outside*.c.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/outside.h"
#include "core/store/outside_name.h"

/* The columns with numbers (NsOutsideColumn).  `taken`: the names that are shown as losses, or as
 * the step; `left_out`: the set of the keys of groups that are not drawn. */
GPtrArray *ns_outside_columns(const NsOutsideNames *names, const NsOutsideName *const *taken,
                              size_t n, GHashTable *left_out);

/* Whether a name that was read is that of a loss, or of a part of one. */
bool ns_outside_columns_have_loss(const NsOutsideNames *names);

/* Whether a name has a number, so that its meaning can be chosen. */
bool ns_outside_columns_may_be_mapped(const NsOutsideNames *names);

/* Says, as ns_outside_refuse_empty, why a log with these names has no record. */
bool ns_outside_columns_refuse(const NsOutsideNames *names, const char *name, bool limited,
                               GError **error);

/* The first names that the log uses, “step, accuracy”, for a message.  Free with g_free. */
char *ns_outside_columns_words(const NsOutsideNames *names);

/* The program that usually writes these names, for display; NULL if it is not known. */
const char *ns_outside_program(const NsOutsideNames *names);

/* See ns_outside_recall and ns_outside_remember.  The first returns NULL if there is nothing; free
 * it with g_free. */
char *ns_outside_columns_recall(const NsOutsideNames *names);
bool ns_outside_columns_remember(const NsOutsideNames *names, const char *map, GError **error);
