/* shim.h: nothing but the header; no other logic lives here. */
#pragma once
#include <nettle/sha2.h>
