/* The initial values of all tensors.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/team.h"
#include "core/base/tensor.h"

/* Writes the initial value of every tensor into an arena; the result does not depend on the number
 * of members of the team. */
void ns_tensor_table_init(const NsTensorTable *table, ns_real *arena, uint64_t seed, NsTeam *team);
