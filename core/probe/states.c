/* SPDX-License-Identifier: MIT */
#include "core/probe/states.h"

void ns_states_find(NsStateSource *sources, const NsModel *model, size_t first)
{
    bool entered[2] = {false, false};
    for (size_t s = 0; s < ns_model_sublayers(model); s++) {
        NsTap tap = ns_model_tap(model, 0, s);
        unsigned stack = tap.layer >= first;
        /* The second stack has an embedding of its own. */
        size_t before = tap.layer + stack;
        if (!entered[stack]) sources[before] = (NsStateSource){s, true, stack};
        entered[stack] = true;
        if (tap.last) sources[before + 1] = (NsStateSource){s, false, stack};
    }
}

NsStateView ns_state_view(const NsModel *model, const NsStateSource *source, size_t shard)
{
    NsTap tap = ns_model_tap(model, shard, source->sublayer);
    return (NsStateView){.x = source->input ? tap.x : tap.out,
                         .B = tap.B,
                         .T = tap.T,
                         .D = tap.D,
                         .length = tap.length};
}
