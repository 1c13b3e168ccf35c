#include "openapi.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

/* `openapi.yaml` beside this file is a link to the one at the top of the project. */
static const unsigned char contract[] = {
#embed "openapi.yaml"
};

const unsigned char *liststate_openapi(size_t *count)
{
    *count = sizeof contract;
    return contract;
}
