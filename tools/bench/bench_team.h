/* Trireme: the devices of the suite `collective`.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_BENCH_TEAM_H
#define TRIREME_TOOLS_BENCH_TEAM_H

struct bench_team;

/* End a team; NULL is fine. */
void bench_team_end(struct bench_team *team);

#endif
