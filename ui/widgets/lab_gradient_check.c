/* Gradients of the run against finite differences.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

#include "core/base/words.h"

void ns_lab_check(NsLab *lab, size_t lane, unsigned layer)
{
    if (ns_lab_is_past(lab))
        ns_lab_tell(lab, _("An earlier run is on view; Run goes on with it, and then its gradients "
                           "can be checked."));
    if (!lab->trainer || lane >= lab->run.n || lab->state == NS_TRAINER_FAILED) return;
    lab->checking = true;
    ns_trainer_check(lab->trainer, lane, layer);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

bool ns_lab_is_checking(NsLab *lab)
{
    return lab->checking;
}

const NsGradientCheck *ns_lab_last_check(NsLab *lab)
{
    return lab->check;
}

void ns_lab_drop_check(NsLab *lab)
{
    bool had = lab->checking || lab->check;
    lab->checking = false;
    g_clear_pointer(&lab->check, g_free);
    if (had) ns_lab_emit(lab, NS_LAB_CHECKED);
}

bool ns_lab_poll_check(NsLab *lab)
{
    if (!lab->checking) return false;
    NsGradientCheck check;
    bool rests = ns_trainer_wait(lab->trainer, 0); /* first: what it leaves is there by then */
    if (ns_trainer_take_check(lab->trainer, &check)) {
        g_free(lab->check);
        lab->check = g_memdup2(&check, sizeof check);
    } else if (!rests) {
        return true;
    }
    /* At rest without an answer: it was broken off. */
    lab->checking = false;
    ns_lab_emit(lab, NS_LAB_CHECKED);
    return false;
}
