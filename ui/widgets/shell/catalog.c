/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/catalog.h"

#include "core/base/words.h"
#include "ui/widgets/common/installed.h"

#include <libintl.h>
#include <locale.h>

void ns_catalog_bind(void)
{
    setlocale(LC_ALL, "");
    g_autofree char *folder = ns_installed_folder("resources/po", "share/locale");
    if (!folder) return;
    bindtextdomain(NS_WORDS_DOMAIN, folder);
    bind_textdomain_codeset(NS_WORDS_DOMAIN, "UTF-8");
    /* GLib translates for a program only if the program's own domain has the language. */
    textdomain(NS_WORDS_DOMAIN);
}
