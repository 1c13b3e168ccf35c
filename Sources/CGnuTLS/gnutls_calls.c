#include "gnutls_calls.h"

#include <dlfcn.h>
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pthread.h>

/* The calls, by the names that libgnutls gives them. Version 3.6 has all of them. */
#define CALLS(CALL) \
    CALL(gnutls_pubkey_init) CALL(gnutls_pubkey_deinit) CALL(gnutls_pubkey_import_rsa_raw) \
    CALL(gnutls_pubkey_import_ecc_raw) CALL(gnutls_pubkey_verify_data2) CALL(gnutls_encode_rs_value)

#define DECLARE(name) __typeof__(name) *name##_;
static struct { CALLS(DECLARE) } tls;
/* Frees what the library has allocated. It is a variable of the library. */
static gnutls_free_function *free_;
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    /* The name that is installed without libgnutls28-dev. It stays loaded for as long as the process. */
    void *library = dlopen("libgnutls.so.30", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    is_loaded = 1;
#define FIND(name) if ((*(void **)&tls.name##_ = dlsym(library, #name)) == NULL) is_loaded = 0;
    CALLS(FIND)
    if ((free_ = dlsym(library, "gnutls_free")) == NULL)
        is_loaded = 0;
}

int liststate_gnutls_load(void)
{
    pthread_once(&once, load);
    return is_loaded;
}

static gnutls_datum_t datum(const void *bytes, size_t size)
{
    return (gnutls_datum_t){ .data = (unsigned char *)bytes, .size = (unsigned int)size };
}

/* The key, or null and nothing left behind if the numbers were refused. */
static liststate_key *taken(gnutls_pubkey_t key, int code)
{
    if (code >= 0)
        return (liststate_key *)key;
    tls.gnutls_pubkey_deinit_(key);
    return NULL;
}

liststate_key *liststate_key_rsa(const void *modulus, size_t modulus_size, const void *exponent, size_t exponent_size)
{
    gnutls_pubkey_t key;
    gnutls_datum_t n = datum(modulus, modulus_size), e = datum(exponent, exponent_size);
    return tls.gnutls_pubkey_init_(&key) < 0 ? NULL : taken(key, tls.gnutls_pubkey_import_rsa_raw_(key, &n, &e));
}

liststate_key *liststate_key_ec(liststate_curve curve, const void *x, const void *y, size_t size)
{
    gnutls_pubkey_t key;
    gnutls_datum_t first = datum(x, size), second = datum(y, size);
    gnutls_ecc_curve_t name = curve == LISTSTATE_P256 ? GNUTLS_ECC_CURVE_SECP256R1 : GNUTLS_ECC_CURVE_SECP384R1;
    return tls.gnutls_pubkey_init_(&key) < 0
        ? NULL : taken(key, tls.gnutls_pubkey_import_ecc_raw_(key, name, &first, &second));
}

liststate_key *liststate_key_ed25519(const void *x)
{
    gnutls_pubkey_t key;
    gnutls_datum_t bytes = datum(x, 32);
    return tls.gnutls_pubkey_init_(&key) < 0
        ? NULL : taken(key, tls.gnutls_pubkey_import_ecc_raw_(key, GNUTLS_ECC_CURVE_ED25519, &bytes, NULL));
}

void liststate_key_free(liststate_key *key) { tls.gnutls_pubkey_deinit_((gnutls_pubkey_t)key); }

/* The algorithms in the order of their names in the header. The size is that of signatures on a curve. */
static const struct { gnutls_sign_algorithm_t name; size_t size; int is_pair; } algorithms[] = {
    [LISTSTATE_RS256] = { GNUTLS_SIGN_RSA_SHA256, 0, 0 },
    [LISTSTATE_RS384] = { GNUTLS_SIGN_RSA_SHA384, 0, 0 },
    [LISTSTATE_RS512] = { GNUTLS_SIGN_RSA_SHA512, 0, 0 },
    [LISTSTATE_PS256] = { GNUTLS_SIGN_RSA_PSS_RSAE_SHA256, 0, 0 },
    [LISTSTATE_PS384] = { GNUTLS_SIGN_RSA_PSS_RSAE_SHA384, 0, 0 },
    [LISTSTATE_PS512] = { GNUTLS_SIGN_RSA_PSS_RSAE_SHA512, 0, 0 },
    [LISTSTATE_ES256] = { GNUTLS_SIGN_ECDSA_SHA256, 64, 1 },
    [LISTSTATE_ES384] = { GNUTLS_SIGN_ECDSA_SHA384, 96, 1 },
    [LISTSTATE_EDDSA] = { GNUTLS_SIGN_EDDSA_ED25519, 64, 0 },
};

int liststate_key_verify(const liststate_key *key, liststate_algorithm algorithm, const void *data, size_t size,
                         const void *signature, size_t signature_size)
{
    gnutls_sign_algorithm_t name = algorithms[algorithm].name;
    gnutls_pubkey_t public = (gnutls_pubkey_t)key;
    gnutls_datum_t bytes = datum(data, size), sign = datum(signature, signature_size);
    if (algorithms[algorithm].size != 0 && algorithms[algorithm].size != signature_size)
        return 0;
    if (!algorithms[algorithm].is_pair)
        return tls.gnutls_pubkey_verify_data2_(public, name, 0, &bytes, &sign) >= 0;
    size_t half = signature_size / 2;
    gnutls_datum_t r = datum(signature, half), s = datum((const unsigned char *)signature + half, half), der;
    if (tls.gnutls_encode_rs_value_(&der, &r, &s) < 0)
        return 0;
    int code = tls.gnutls_pubkey_verify_data2_(public, name, 0, &bytes, &der);
    (*free_)(der.data);
    return code >= 0;
}
