/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_)
{
    interrupted = signal_;
}

void ns_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int ns_interrupt_signal(void)
{
    return (int)interrupted;
}

int ns_interrupt_status(void)
{
    return interrupted ? NS_EXIT_SIGNAL + (int)interrupted : NS_EXIT_OK;
}
