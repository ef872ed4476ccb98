/* normscope: the desktop.  SPDX-License-Identifier: MIT */
#include "core/base/memory.h"
#include "core/ops/gemm.h"
#include "ui/widgets/shell/application.h"
#include "ui/widgets/shell/catalog.h"

int main(int argc, char **argv)
{
    /* Both while there is one thread; a run says what is wrong. */
    ns_memory_init();
    ns_gemm_init(NULL);
    ns_catalog_bind(); /* the words of --help are made with the application */
    g_autoptr(NsApplication) application = ns_application_new();
    return g_application_run(G_APPLICATION(application), argc, argv);
}
