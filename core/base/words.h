/* Translation of the words that a user sees.  SPDX-License-Identifier: MIT
 *
 * _("Run") is the text in the language of the desktop, C_("noun", "Run") the same with a context
 * for the translator, N_("Run") marks a text of a table that is translated when it is shown.  A
 * sentence is one message with placeholders, never joined from parts.  Without a catalog for the
 * domain, every text is its own translation. */
#pragma once

#include <glib.h>

#define NS_WORDS_DOMAIN "normscope"

#define _(text) g_dgettext(NS_WORDS_DOMAIN, text)
#define C_(context, text) g_dpgettext2(NS_WORDS_DOMAIN, context, text)
#define N_(text) (text)

/* The plural form of a sentence for a count: ns_plural("%s step", "%s steps", n). */
#define ns_plural(one, many, n) g_dngettext(NS_WORDS_DOMAIN, one, many, (gulong)(n))
