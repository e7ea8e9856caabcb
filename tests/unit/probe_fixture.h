/* probe_fixture.h - probes with known numbers, as a snapshot carries them: of the machine in
 * ui_rows.h.
 *
 *   id  event  probe                              hits in 10 s
 *    3   128   hash_search_with_hash_value  on    124000, latency, values, log (asked for)
 *    4   129   vfs_read  on                        31000, latency
 *    5   130   sched:sched_switch  off                 0
 *    7   131   malloc  capped                     900000, returns only
 *    8   132   do_idle  refused
 *    9   133   getaddrinfo  attaching
 */
#ifndef TESTS_PROBE_FIXTURE_H
#define TESTS_PROBE_FIXTURE_H

#include "ingest/snapshot_probes.h"
#include "ui_fixture.h"

#define PROBE_FIXTURE_COUNT 6

/* All of them, with the details of @detail (0: of none). Its arrays are static: changed by the next
 * call. */
struct snapshot_probes probe_fixture(uint32_t detail);

/* The newest order, which must be of that kind. BORROWED. */
const struct probe_request *probe_fixture_request(const struct ui *ui,
						  enum probe_request_kind kind);
/* Forgets the orders, as a loop that has sent them. */
void probe_fixture_send(struct ui *ui);

/* Replies to the last query with the machine and all probes. */
void probe_fixture_reply(struct ui *ui);

#endif
