/* normscope: the desktop.  SPDX-License-Identifier: MIT */
#include "ui/widgets/application.h"

int main(int argc, char **argv)
{
    g_autoptr(NsApplication) application = ns_application_new();
    return g_application_run(G_APPLICATION(application), argc, argv);
}
