/*
 * Public keys and their signatures. libgnutls is loaded when the first keys are read. A server without keys runs
 * without the library.
 */
#pragma once
#include <stddef.h>

/* A public key of libgnutls. */
typedef struct liststate_key liststate_key;

/* A curve of a public key. */
typedef enum { LISTSTATE_P256, LISTSTATE_P384 } liststate_curve;

/* An algorithm of a signature, by its name in RFC 7518 and RFC 8037. */
typedef enum {
    LISTSTATE_RS256, LISTSTATE_RS384, LISTSTATE_RS512, LISTSTATE_PS256, LISTSTATE_PS384, LISTSTATE_PS512,
    LISTSTATE_ES256, LISTSTATE_ES384, LISTSTATE_EDDSA
} liststate_algorithm;

/* Loads libgnutls. Returns 0 if it is not there, or lacks a call. May be called on any thread, and again. */
int liststate_gnutls_load(void);

/* Each makes a key of its numbers, which are big-endian; null if libgnutls refuses them. The library must be loaded. */
liststate_key *liststate_key_rsa(const void *modulus, size_t modulus_size, const void *exponent, size_t exponent_size);
liststate_key *liststate_key_ec(liststate_curve curve, const void *x, const void *y, size_t size);
/* The key of RFC 8032, which has 32 bytes. */
liststate_key *liststate_key_ed25519(const void *x);
void liststate_key_free(liststate_key *key);

/*
 * Whether the signature of the data was made with the key. Signatures on curves are both numbers behind each other, as
 * JWS has them. May be called on any thread, also for one key on several at a time, because it only reads the key.
 */
int liststate_key_verify(const liststate_key *key, liststate_algorithm algorithm, const void *data, size_t size,
                         const void *signature, size_t signature_size);
