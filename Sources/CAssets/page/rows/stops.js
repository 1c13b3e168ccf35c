// Pages of a row of rows: it comes to rest at each multiple of its visible width, wherever groups begin.
//
// A browser stops at elements. So the group across which a page begins gets a margin that leads to that place.

/** @typedef {import("./rows.js").SectionView} SectionView */

/** @param {SectionView} view After its rows have changed. */
export function placeStops({ list, first, end, resolved: { pageWidth, period, stride } }) {
  if (pageWidth === 0) return;
  for (let index = first; index < end; index += 1) {
    const row = /** @type {HTMLElement} */ (list.children[index - first]);
    if (index % period > 0) {
      stopAt(row, null);
      continue;
    }
    const start = (index / period) * stride;
    const page = Math.ceil(start / pageWidth) * pageWidth;
    // The page before has its group outside of the document. The first group that is there stands for that one.
    const stop = page < start + stride ? page : index === first ? page - pageWidth : null;
    stopAt(row, stop === null ? null : start - stop);
  }
}

/** @param {HTMLElement} row @param {number | null} margin From the place to the row's group; null if the row is no stop. */
function stopAt(row, margin) {
  const { style } = row;
  const inset = margin === null ? 0 : parseFloat(getComputedStyle(row).marginInlineStart);
  const wanted = margin === null ? "" : `${Math.round((margin + inset) * 100) / 100}px`;
  if (style.scrollMarginInlineStart !== wanted) style.scrollMarginInlineStart = wanted;
  for (const [name, value] of [["scrollSnapAlign", "start"], ["scrollSnapStop", "always"]]) {
    const now = margin === null ? "" : value;
    if (style[name] !== now) style[name] = now;
  }
}
