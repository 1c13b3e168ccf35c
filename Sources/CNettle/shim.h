/* shim.h: nothing but the headers; no other logic lives here. */
#pragma once
#include <nettle/base64.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
