/* SPDX-License-Identifier: MIT */
#include "tests/unit/studies.h"

#include <string.h>

void ns_test_read_study(NsStudy *study, const char *text)
{
    g_autoptr(GError) error = NULL;
    ns_study_init(study);
    bool good = ns_study_read(study, text, strlen(text), &error) && ns_study_check(study, &error);
    g_assert_no_error(error);
    g_assert_true(good);
}
