// Which rows are in sight, found by halving: rows and sections stand in order, and few of them are measured.

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} content With the sections.
 * @param {number} margin How far beyond an edge still counts, in points.
 * @returns {Generator<[HTMLElement, DOMRect]>} Rows from top to bottom, with their places.
 */
export function* rowsInSight(scroller, content, margin = 0) {
  const view = scroller.getBoundingClientRect();
  const [top, bottom] = [view.top - margin, view.bottom + margin];
  const sections = /** @type {HTMLCollectionOf<HTMLElement>} */ (content.children);
  const first = firstIndex(sections, (section) => section.getBoundingClientRect().bottom >= top);
  for (let index = first; index < sections.length; index += 1) {
    if (sections[index].getBoundingClientRect().top > bottom) return;
    yield* rowsOf(sections[index], top, bottom, margin);
  }
}

function* rowsOf(section, top, bottom, margin) {
  const list = section.querySelector(":scope > .rows");
  const isAcross = section.classList.contains("kind-orthogonal");
  const box = list.getBoundingClientRect();
  if (box.bottom < top || box.top > bottom) return;
  const [start, end] = isAcross ? [box.left - margin, box.right + margin] : [top, bottom];
  const side = (row) => (isAcross ? row.getBoundingClientRect().right : row.getBoundingClientRect().bottom);
  const rows = /** @type {HTMLCollectionOf<HTMLElement>} */ (list.children);
  for (let index = firstIndex(rows, (row) => side(row) >= start); index < rows.length; index += 1) {
    const place = rows[index].getBoundingClientRect();
    if ((isAcross ? place.left : place.top) > end) return;
    yield [rows[index], place];
  }
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
