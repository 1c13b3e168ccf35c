/* The bytes of the contract, put into the binary by the compiler. No logic lives here. */
#ifndef LISTSTATE_OPENAPI_H
#define LISTSTATE_OPENAPI_H

#include <stddef.h>

/* The contents of openapi.yaml at the top of the project; `count` gets their number. They live as long as the process. */
const unsigned char *liststate_openapi(size_t *count);

#endif
