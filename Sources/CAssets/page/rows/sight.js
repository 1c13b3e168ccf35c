// Which rows are in sight. Sections stand in order, so the first of them is found by halving.

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} content With the sections.
 * @returns {Generator<[HTMLElement, DOMRect]>} Rows from top to bottom, with their places.
 */
export function* rowsInSight(scroller, content) {
  const { top, bottom } = scroller.getBoundingClientRect();
  const sections = /** @type {HTMLCollectionOf<HTMLElement>} */ (content.children);
  const first = firstIndex(sections, (section) => section.getBoundingClientRect().bottom >= top);
  for (let index = first; index < sections.length; index += 1) {
    if (sections[index].getBoundingClientRect().top > bottom) return;
    yield* rowsOf(sections[index], top, bottom);
  }
}

function* rowsOf(section, top, bottom) {
  const list = section.querySelector(":scope > .rows");
  const isAcross = section.classList.contains("kind-orthogonal");
  const box = list.getBoundingClientRect();
  if (box.bottom < top || box.top > bottom) return;
  const [start, end] = isAcross ? [box.left, box.right] : [top, bottom];
  for (const row of list.children) {
    if (row.classList.contains("kept")) continue;
    const place = row.getBoundingClientRect();
    const [near, far] = isAcross ? [place.left, place.right] : [place.top, place.bottom];
    // Not the end of the search: rows of rows may go from right to left.
    if (far <= start || near >= end) continue;
    yield [row, place];
  }
}

/** The first row that is seen as a whole, or else in part. @param {HTMLElement} scroller @param {HTMLElement} content */
export function firstInSight(scroller, content) {
  const { top } = scroller.getBoundingClientRect(), rows = [...rowsInSight(scroller, content)];
  return (rows.find(([, place]) => place.top >= top) ?? rows[0])?.[0];
}

/**
 * The first row in sight that stays, and where it is. Rows of rows are no hold, and at the top nothing is held: what comes
 * there is seen.
 * @param {HTMLElement} scroller @param {HTMLElement} content @param {(id: string) => boolean} stays
 * @returns {{row: HTMLElement, top: number} | null}
 */
export function anchorIn(scroller, content, stays) {
  if (scroller.scrollTop <= 0) return null;
  for (const [row, { top }] of rowsInSight(scroller, content)) {
    if (!row.closest(".kind-orthogonal") && stays(row.dataset.id ?? "")) return { row, top };
  }
  return null;
}

/** Scrolls until a row stands where it was. @param {ReturnType<typeof anchorIn>} anchor @param {HTMLElement} scroller */
export function hold(anchor, scroller) {
  if (!anchor?.row.isConnected || anchor.row.classList.contains("kept")) return;
  const by = anchor.row.getBoundingClientRect().top - anchor.top;
  if (Math.abs(by) >= 0.5) scroller.scrollTop += by;
}

/** The index of the first element that is far enough, of elements in order. */
function firstIndex(elements, isFarEnough) {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isFarEnough(elements[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
