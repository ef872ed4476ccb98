/* Any bytes as a study.  SPDX-License-Identifier: MIT
 *
 * A study is refused with an error of the program's own, or what is written of it reads back to
 * the same. */
#include "core/study/study.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_round_trip(const NsStudy *study)
{
    g_autofree char *text = ns_study_write(study);
    g_auto(NsStudy) again;
    ns_study_init(&again);
    require(ns_study_read(&again, text, strlen(text), NULL));
    g_autofree char *second = ns_study_write(&again);
    require(g_str_equal(text, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_autoptr(GError) error = NULL;
    if (ns_study_read(&study, (const char *)data, size, &error))
        check_round_trip(&study);
    else
        require_sentence(error);
    return 0;
}
