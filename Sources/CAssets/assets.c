#include "assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

/* `openapi.yaml` beside this file is a link to the one at the top of the project. */
static const unsigned char openapi_yaml[] = {
#embed "openapi.yaml"
};
static const unsigned char client_d_ts[] = {
#embed "client.d.ts"
};
static const unsigned char client_js[] = {
#embed "client.js"
};
static const unsigned char page_css[] = {
#embed "page.css"
};
static const unsigned char page_icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char page_index_html[] = {
#embed "page/index.html"
};
static const unsigned char page_js[] = {
#embed "page.js"
};
static const unsigned char reference_css[] = {
#embed "reference.css"
};
static const unsigned char reference_html[] = {
#embed "reference.html"
};
static const unsigned char reference_js[] = {
#embed "reference.js"
};

/* Files of the page have the name of their address. Its scripts are one file, and so are its styles: .ci/join. */
static const struct liststate_asset assets[] = {
    {"client.d.ts", client_d_ts, sizeof client_d_ts},
    {"client.js", client_js, sizeof client_js},
    {"openapi.yaml", openapi_yaml, sizeof openapi_yaml},
    {"page/icon.svg", page_icon_svg, sizeof page_icon_svg},
    {"page/index.html", page_index_html, sizeof page_index_html},
    {"page/main.js", page_js, sizeof page_js},
    {"page/reference.css", reference_css, sizeof reference_css},
    {"page/reference.js", reference_js, sizeof reference_js},
    {"page/style.css", page_css, sizeof page_css},
    {"reference.html", reference_html, sizeof reference_html},
};

const struct liststate_asset *liststate_assets(size_t *count)
{
    *count = sizeof assets / sizeof assets[0];
    return assets;
}
