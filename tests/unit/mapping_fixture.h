/* mapping_fixture.h - what the test program has mapped, as requests to open it. */
#ifndef TESTS_MAPPING_FIXTURE_H
#define TESTS_MAPPING_FIXTURE_H

#include "symbols/dso_table.h"

/* For the names of the DSO whose mapping in this process holds @address, as /proc/self/maps has
 * it. Fails the test when there is none. */
struct open_request mapping_request(const void *address);

#endif
