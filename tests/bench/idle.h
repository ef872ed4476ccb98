/* SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>

static gboolean bench_on_time(gpointer over)
{
    *(bool *)over = true;
    return G_SOURCE_REMOVE;
}

/* Runs the main loop for a while. */
static inline void bench_idle(unsigned milliseconds)
{
    bool over = false;
    g_timeout_add(milliseconds, bench_on_time, &over);
    while (!over) g_main_context_iteration(NULL, TRUE);
}
