/* normscope: the desktop.  SPDX-License-Identifier: MIT */
#include "core/base/memory.h"
#include "core/base/words.h"
#include "core/ops/gemm.h"
#include "ui/widgets/common/installed.h"
#include "ui/widgets/shell/application.h"

#include <libintl.h>
#include <locale.h>

/* From here on _() speaks the language of the desktop, if resources/po has it. */
static void bind_catalog(void)
{
    setlocale(LC_ALL, "");
    g_autofree char *folder = ns_installed_folder("resources/po", "share/locale");
    if (!folder) return;
    bindtextdomain(NS_WORDS_DOMAIN, folder);
    bind_textdomain_codeset(NS_WORDS_DOMAIN, "UTF-8");
    /* GLib translates for a program only if the program's own domain has the language. */
    textdomain(NS_WORDS_DOMAIN);
}

int main(int argc, char **argv)
{
    /* Both while there is one thread; a run says what is wrong. */
    ns_memory_init();
    ns_gemm_init(NULL);
    bind_catalog(); /* the words of --help are made with the application */
    g_autoptr(NsApplication) application = ns_application_new();
    return g_application_run(G_APPLICATION(application), argc, argv);
}
