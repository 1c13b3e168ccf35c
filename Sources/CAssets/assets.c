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
static const unsigned char page_actions_js[] = {
#embed "page/actions.js"
};
static const unsigned char page_admin_css[] = {
#embed "page/admin.css"
};
static const unsigned char page_aim_js[] = {
#embed "page/aim.js"
};
static const unsigned char page_api_js[] = {
#embed "page/api.js"
};
static const unsigned char page_beyond_css[] = {
#embed "page/beyond.css"
};
static const unsigned char page_catalogue_js[] = {
#embed "page/catalogue.js"
};
static const unsigned char page_cells_js[] = {
#embed "page/cells.js"
};
static const unsigned char page_collection_css[] = {
#embed "page/collection.css"
};
static const unsigned char page_detail_js[] = {
#embed "page/detail.js"
};
static const unsigned char page_dialog_js[] = {
#embed "page/dialog.js"
};
static const unsigned char page_dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char page_drag_js[] = {
#embed "page/drag.js"
};
static const unsigned char page_dresser_js[] = {
#embed "page/dresser.js"
};
static const unsigned char page_editing_css[] = {
#embed "page/editing.css"
};
static const unsigned char page_editing_js[] = {
#embed "page/editing.js"
};
static const unsigned char page_finder_js[] = {
#embed "page/finder.js"
};
static const unsigned char page_frame_js[] = {
#embed "page/frame.js"
};
static const unsigned char page_gallery_js[] = {
#embed "page/gallery.js"
};
static const unsigned char page_held_js[] = {
#embed "page/held.js"
};
static const unsigned char page_history_js[] = {
#embed "page/history.js"
};
static const unsigned char page_icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char page_index_html[] = {
#embed "page/index.html"
};
static const unsigned char page_inspector_js[] = {
#embed "page/inspector.js"
};
static const unsigned char page_intent_js[] = {
#embed "page/intent.js"
};
static const unsigned char page_itemchanges_js[] = {
#embed "page/itemchanges.js"
};
static const unsigned char page_itemedit_js[] = {
#embed "page/itemedit.js"
};
static const unsigned char page_keyboard_js[] = {
#embed "page/keyboard.js"
};
static const unsigned char page_landing_js[] = {
#embed "page/landing.js"
};
static const unsigned char page_layout_js[] = {
#embed "page/layout.js"
};
static const unsigned char page_lines_js[] = {
#embed "page/lines.js"
};
static const unsigned char page_list_js[] = {
#embed "page/list.js"
};
static const unsigned char page_listactions_js[] = {
#embed "page/listactions.js"
};
static const unsigned char page_lists_js[] = {
#embed "page/lists.js"
};
static const unsigned char page_main_js[] = {
#embed "page/main.js"
};
static const unsigned char page_missing_js[] = {
#embed "page/missing.js"
};
static const unsigned char page_model_js[] = {
#embed "page/model.js"
};
static const unsigned char page_motion_js[] = {
#embed "page/motion.js"
};
static const unsigned char page_past_js[] = {
#embed "page/past.js"
};
static const unsigned char page_places_js[] = {
#embed "page/places.js"
};
static const unsigned char page_pointers_js[] = {
#embed "page/pointers.js"
};
static const unsigned char page_range_js[] = {
#embed "page/range.js"
};
static const unsigned char page_reach_js[] = {
#embed "page/reach.js"
};
static const unsigned char page_reference_css[] = {
#embed "page/reference.css"
};
static const unsigned char page_reference_js[] = {
#embed "page/reference.js"
};
static const unsigned char page_rights_js[] = {
#embed "page/rights.js"
};
static const unsigned char page_routes_js[] = {
#embed "page/routes.js"
};
static const unsigned char page_rows_js[] = {
#embed "page/rows.js"
};
static const unsigned char page_sampletools_js[] = {
#embed "page/sampletools.js"
};
static const unsigned char page_search_js[] = {
#embed "page/search.js"
};
static const unsigned char page_sections_js[] = {
#embed "page/sections.js"
};
static const unsigned char page_selection_js[] = {
#embed "page/selection.js"
};
static const unsigned char page_shortcuts_js[] = {
#embed "page/shortcuts.js"
};
static const unsigned char page_sidebar_js[] = {
#embed "page/sidebar.js"
};
static const unsigned char page_sight_js[] = {
#embed "page/sight.js"
};
static const unsigned char page_signin_js[] = {
#embed "page/signin.js"
};
static const unsigned char page_stops_js[] = {
#embed "page/stops.js"
};
static const unsigned char page_style_css[] = {
#embed "page/style.css"
};
static const unsigned char page_swipe_js[] = {
#embed "page/swipe.js"
};
static const unsigned char page_symbols_js[] = {
#embed "page/symbols.js"
};
static const unsigned char page_token_js[] = {
#embed "page/token.js"
};
static const unsigned char page_transfer_js[] = {
#embed "page/transfer.js"
};
static const unsigned char page_words_js[] = {
#embed "page/words.js"
};
static const unsigned char page_writes_js[] = {
#embed "page/writes.js"
};
static const unsigned char reference_html[] = {
#embed "reference.html"
};

/* A test compares the names with the files of the folder. */
static const struct liststate_asset assets[] = {
    {"client.d.ts", client_d_ts, sizeof client_d_ts},
    {"client.js", client_js, sizeof client_js},
    {"openapi.yaml", openapi_yaml, sizeof openapi_yaml},
    {"page/actions.js", page_actions_js, sizeof page_actions_js},
    {"page/admin.css", page_admin_css, sizeof page_admin_css},
    {"page/aim.js", page_aim_js, sizeof page_aim_js},
    {"page/api.js", page_api_js, sizeof page_api_js},
    {"page/beyond.css", page_beyond_css, sizeof page_beyond_css},
    {"page/catalogue.js", page_catalogue_js, sizeof page_catalogue_js},
    {"page/cells.js", page_cells_js, sizeof page_cells_js},
    {"page/collection.css", page_collection_css, sizeof page_collection_css},
    {"page/detail.js", page_detail_js, sizeof page_detail_js},
    {"page/dialog.js", page_dialog_js, sizeof page_dialog_js},
    {"page/dom.js", page_dom_js, sizeof page_dom_js},
    {"page/drag.js", page_drag_js, sizeof page_drag_js},
    {"page/dresser.js", page_dresser_js, sizeof page_dresser_js},
    {"page/editing.css", page_editing_css, sizeof page_editing_css},
    {"page/editing.js", page_editing_js, sizeof page_editing_js},
    {"page/finder.js", page_finder_js, sizeof page_finder_js},
    {"page/frame.js", page_frame_js, sizeof page_frame_js},
    {"page/gallery.js", page_gallery_js, sizeof page_gallery_js},
    {"page/held.js", page_held_js, sizeof page_held_js},
    {"page/history.js", page_history_js, sizeof page_history_js},
    {"page/icon.svg", page_icon_svg, sizeof page_icon_svg},
    {"page/index.html", page_index_html, sizeof page_index_html},
    {"page/inspector.js", page_inspector_js, sizeof page_inspector_js},
    {"page/intent.js", page_intent_js, sizeof page_intent_js},
    {"page/itemchanges.js", page_itemchanges_js, sizeof page_itemchanges_js},
    {"page/itemedit.js", page_itemedit_js, sizeof page_itemedit_js},
    {"page/keyboard.js", page_keyboard_js, sizeof page_keyboard_js},
    {"page/landing.js", page_landing_js, sizeof page_landing_js},
    {"page/layout.js", page_layout_js, sizeof page_layout_js},
    {"page/lines.js", page_lines_js, sizeof page_lines_js},
    {"page/list.js", page_list_js, sizeof page_list_js},
    {"page/listactions.js", page_listactions_js, sizeof page_listactions_js},
    {"page/lists.js", page_lists_js, sizeof page_lists_js},
    {"page/main.js", page_main_js, sizeof page_main_js},
    {"page/missing.js", page_missing_js, sizeof page_missing_js},
    {"page/model.js", page_model_js, sizeof page_model_js},
    {"page/motion.js", page_motion_js, sizeof page_motion_js},
    {"page/past.js", page_past_js, sizeof page_past_js},
    {"page/places.js", page_places_js, sizeof page_places_js},
    {"page/pointers.js", page_pointers_js, sizeof page_pointers_js},
    {"page/range.js", page_range_js, sizeof page_range_js},
    {"page/reach.js", page_reach_js, sizeof page_reach_js},
    {"page/reference.css", page_reference_css, sizeof page_reference_css},
    {"page/reference.js", page_reference_js, sizeof page_reference_js},
    {"page/rights.js", page_rights_js, sizeof page_rights_js},
    {"page/routes.js", page_routes_js, sizeof page_routes_js},
    {"page/rows.js", page_rows_js, sizeof page_rows_js},
    {"page/sampletools.js", page_sampletools_js, sizeof page_sampletools_js},
    {"page/search.js", page_search_js, sizeof page_search_js},
    {"page/sections.js", page_sections_js, sizeof page_sections_js},
    {"page/selection.js", page_selection_js, sizeof page_selection_js},
    {"page/shortcuts.js", page_shortcuts_js, sizeof page_shortcuts_js},
    {"page/sidebar.js", page_sidebar_js, sizeof page_sidebar_js},
    {"page/sight.js", page_sight_js, sizeof page_sight_js},
    {"page/signin.js", page_signin_js, sizeof page_signin_js},
    {"page/stops.js", page_stops_js, sizeof page_stops_js},
    {"page/style.css", page_style_css, sizeof page_style_css},
    {"page/swipe.js", page_swipe_js, sizeof page_swipe_js},
    {"page/symbols.js", page_symbols_js, sizeof page_symbols_js},
    {"page/token.js", page_token_js, sizeof page_token_js},
    {"page/transfer.js", page_transfer_js, sizeof page_transfer_js},
    {"page/words.js", page_words_js, sizeof page_words_js},
    {"page/writes.js", page_writes_js, sizeof page_writes_js},
    {"reference.html", reference_html, sizeof reference_html},
};

const struct liststate_asset *liststate_assets(size_t *count)
{
    *count = sizeof assets / sizeof assets[0];
    return assets;
}
