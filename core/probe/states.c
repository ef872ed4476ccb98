/* SPDX-License-Identifier: MIT */
#include "core/probe/states.h"

void ns_states_find(NsStateSource *sources, const NsModel *model, size_t first)
{
    bool entered[2] = {false, false};
    for (size_t s = 0; s < ns_model_sublayers(model); s++) {
        NsActivationView view = ns_model_activation_view(model, 0, s);
        unsigned stack = view.layer >= first;
        /* The second stack has its own embedding, which is one more hidden state. */
        size_t before = view.layer + stack;
        if (!entered[stack]) sources[before] = (NsStateSource){s, true, stack};
        entered[stack] = true;
        if (view.last) sources[before + 1] = (NsStateSource){s, false, stack};
    }
}

NsStateView ns_state_view(const NsModel *model, const NsStateSource *source, size_t shard)
{
    NsActivationView view = ns_model_activation_view(model, shard, source->sublayer);
    return (NsStateView){.x = source->input ? view.x : view.out,
                         .B = view.B,
                         .T = view.T,
                         .D = view.D,
                         .length = view.length};
}
