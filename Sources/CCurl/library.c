#include "library.h"
#include "curl_fetch.h"
#include "curl_network.h"

#include <dlfcn.h>
#include <pthread.h>

curl_calls liststate_curl;
static int is_loaded;
static int has_multi;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    /*
     * Debian has two builds of the library, and others have one. A process that has one needs no other, and what is
     * loaded stays for as long as the process.
     */
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL)
        library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    is_loaded = has_multi = 1;
#define FIND(name) if ((*(void **)&web.name##_ = dlsym(library, #name)) == NULL) is_loaded = 0;
    CALLS(FIND)
#define FIND_MULTI(name) if ((*(void **)&web.name##_ = dlsym(library, #name)) == NULL) has_multi = 0;
    MULTI_CALLS(FIND_MULTI)
    if (is_loaded && web.curl_global_init_(GLOBAL_ALL) != 0)
        is_loaded = 0;
}

int liststate_curl_load(void)
{
    pthread_once(&once, load);
    return is_loaded;
}

int liststate_network_load(void) { return liststate_curl_load() && has_multi; }
