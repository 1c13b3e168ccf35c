// Shows the reference counts of Swift's runtime to the thread sanitizer, loaded before a program that it watches.
//
// A value that is copied on write is read by one thread and, once that thread has given its reference up, changed in
// place by another one, which has seen that its own reference is the only one. The count is an atomic number, so that
// nothing is wrong with that; but the runtime is not built with the sanitizer, which therefore sees two accesses and
// nothing between them. Here it is told: whatever a thread did before it gave up a reference comes before all that is
// done by the thread that finds itself alone. Nothing else is ordered by it: who gives up a reference without being the
// last one, or takes one, learns nothing of other threads, so that races between them are still reported.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of the sanitizer, in the program; absent in others.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// Of the runtime.
__attribute__((weak)) size_t swift_retainCount(void *object);

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

// A reference that is none: nil, or a value whose highest bit is set.
static bool is_object(void *object) { return (intptr_t)object > 0 && __tsan_acquire; }

static void give_up(void *object, uint32_t count) {
    if (!is_object(object)) return;
    __tsan_release(object);
    // The last one frees the object, after all that others did with it.
    if (swift_retainCount(object) <= count) __tsan_acquire(object);
}

void swift_release(void *object) {
    static void (*release)(void *);
    if (!release) release = next(__func__);
    give_up(object, 1);
    release(object);
}

void swift_release_n(void *object, uint32_t count) {
    static void (*release)(void *, uint32_t);
    if (!release) release = next(__func__);
    give_up(object, count);
    release(object, count);
}

bool swift_isUniquelyReferenced_native(void *object) {
    static bool (*is_unique)(void *);
    if (!is_unique) is_unique = next(__func__);
    if (!is_unique(object)) return false;
    if (is_object(object)) __tsan_acquire(object);
    return true;
}

bool swift_isUniquelyReferenced_nonNull_native(void *object) {
    static bool (*is_unique)(void *);
    if (!is_unique) is_unique = next(__func__);
    if (!is_unique(object)) return false;
    if (is_object(object)) __tsan_acquire(object);
    return true;
}
