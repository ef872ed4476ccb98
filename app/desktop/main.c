/* normscope: the desktop.  SPDX-License-Identifier: MIT */
#include "ui/widgets/application.h"
#include "ui/widgets/catalogue.h"

int main(int argc, char **argv)
{
    ns_catalogue_bind(); /* first: the words of --help are made with the application */
    g_autoptr(NsApplication) application = ns_application_new();
    return g_application_run(G_APPLICATION(application), argc, argv);
}
