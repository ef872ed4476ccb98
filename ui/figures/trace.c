/* SPDX-License-Identifier: MIT */
#include "ui/figures/trace.h"

#include "core/base/words.h"

#include <inttypes.h>

void ns_trace_forget(NsTrace *trace)
{
    for (size_t i = 0; i < NS_TRACE_CURVES; i++) ns_curve_clear(&trace->curves[i]);
    ns_smoother_clear(&trace->smoother);
}

void ns_trace_clear(NsTrace *trace)
{
    ns_source_follow(&trace->run, NULL);
    ns_trace_forget(trace);
}

char *ns_traces_note(const NsTrace *traces, unsigned n, unsigned curve)
{
    int64_t stride = 0;
    for (unsigned i = 0; i < n; i++) stride = MAX(stride, traces[i].curves[curve].stride);
    if (stride <= 1) return NULL;
    return g_strdup_printf(_("Steps are shown in groups of %" PRId64 ", by their extremes."),
                           stride);
}
