/* normscope: the desktop program.  SPDX-License-Identifier: MIT */
#include "core/base/memory.h"
#include "core/base/words.h"
#include "core/ops/gemm.h"
#include "core/store/outside_watch.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/shell/application.h"

#include <libintl.h>
#include <locale.h>
#include <signal.h>

int main(int argc, char **argv)
{
    /* Both need a single thread; a run reports failures later. */
    ns_memory_init();
    ns_gemm_init(NULL);
    /* From here on _() translates into the language of the desktop, if resources/po has it. */
    setlocale(LC_ALL, "");
    /* Numbers have a point in sentences too, as in entries, charts and files. */
    setlocale(LC_NUMERIC, "C");
    gtk_disable_setlocale();
    g_autofree char *folder = ns_installed_folder("resources/po", "share/locale");
    if (folder) {
        bindtextdomain(NS_WORDS_DOMAIN, folder);
        bind_textdomain_codeset(NS_WORDS_DOMAIN, "UTF-8");
        /* GLib translates for a program only if the program's own domain has the language. */
        textdomain(NS_WORDS_DOMAIN);
    }
    /* before the application, which translates --help */
    g_autoptr(NsApplication) application = ns_application_new();
    int status = g_application_run(G_APPLICATION(application), argc, argv);
    /* Continue saving standard input after the window was closed: a program writing to the pipe
     * would otherwise be killed by SIGPIPE. */
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    if (ns_outside_watch_is_saving()) {
        for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) signal(signals[i], SIG_DFL);
        g_printerr("normscope: the window is closed; standard input is still being saved until it "
                   "ends (Ctrl-C stops that).\n");
        ns_outside_watch_wait_saved();
    }

    return status;
}
