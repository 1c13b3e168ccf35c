// Shows the reference counts of Swift's runtime to the thread sanitizer. It is loaded before the program that is
// watched.
//
// Example: one thread reads a value with copy-on-write storage and then gives up its reference. Another thread sees
// that its own reference is the only one, and changes the storage in place. This is correct, because the count is an
// atomic number. But the runtime is not built with the sanitizer, which therefore sees two accesses without any order
// between them.
//
// This library tells the sanitizer the order: everything that a thread did before it gave up a reference comes before
// everything that the thread with the last reference does afterwards. It orders nothing else. A thread that takes a
// reference, or gives one up that is not the last, learns nothing of other threads. So races between such threads are
// still reported.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Functions of the sanitizer, absent in programs without it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// A function of the runtime.
__attribute__((weak)) size_t swift_retainCount(void *object);

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

// Whether this is a reference to an object. Nil, and a value whose highest bit is set, are not.
static bool is_object(void *object) { return (intptr_t)object > 0 && __tsan_acquire; }

static void give_up(void *object, uint32_t count) {
    if (!is_object(object)) return;
    __tsan_release(object);
    // The thread with the last reference frees the object. That comes after everything that others did with it.
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
