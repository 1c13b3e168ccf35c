// Pictures for the names of symbols, drawn as strokes in a square of 24 units.

const paths = {
  "star": "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z",
  "star.slash": "M8.5 9l-5 .7 4.3 4.1-1 5.9 5.2-2.8 5.2 2.8-.6-3.6M10.3 7L12 3.5l2.6 5.4 5.9.8-4.3 4.1M4 3l16 18",
  "archivebox": "M4 4h16v5H4zM5.5 9v11h13V9M10 13h4",
  "flag": "M6 21V4M6 5c4-3 8 3 13 0v9c-5 3-9-3-13 0",
  "chevron.right": "M9 5l7 7-7 7",
  "chevron.up.down": "M8 10l4-4 4 4M8 14l4 4 4-4",
  "chevron.left": "M15 5l-7 7 7 7",
  "reorder": "M4 8h16M4 12h16M4 16h16",
  "plus": "M12 5v14M5 12h14",
  "minus": "M5 12h14",
  "checkmark": "M5 12.5l5 5L19 7",
  "trash": "M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5",
  "info": "M12 3a9 9 0 1 0 .01 0M12 11v6M12 7.5v.01",
  "undo": "M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3",
  "redo": "M16 5l4 4-4 4M20 9H10a6 6 0 0 0 0 12h3",
  "history": "M12 4a8 8 0 1 1-7.4 5M4 4v5h5M12 8v4.5l3 2",
  "inspect": "M4 5h16v14H4zM14.5 5v14M17 9h.01M17 12h.01",
  "search": "M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.5L21 21",
  "step": "M5 5l9 7-9 7zM18 5v14",
  "run": "M6 4l13 8-13 8z",
  "stop": "M6 6h12v12H6z",
  "reset": "M4 12a8 8 0 1 0 3-6.2M4 4v5h5",
  "folder": "M3 7h7l2 2h9v10H3z",
  "paperplane": "M21 3L3 11l7 3 3 7zM21 3l-11 11",
  "book": "M12 6c-2-2-6-2-9-1v14c3-1 7-1 9 1 2-2 6-2 9-1V5c-3-1-7-1-9 1zM12 6v14",
  "tag": "M3 3h8l10 10-8 8L3 11zM7.5 7.5v.01",
  "camera": "M3 8h4l2-3h6l2 3h4v11H3zM12 10a3.5 3.5 0 1 0 .01 0",
  "pin": "M8 3h8l-1 7 3 4H6l3-4zM12 14v7",
  "lock.shield": "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9.5 11h5v4h-5zM10.5 11V9.5a1.5 1.5 0 0 1 3 0V11",
  "cube.box": "M12 3l8 4v10l-8 4-8-4V7zM4 7l8 4 8-4M12 11v10",
  "gift": "M4 11h16v9H4zM3 7h18v4H3zM12 7v13M12 7c-5 0-6-4-3.5-4S12 7 12 7zM12 7c5 0 6-4 3.5-4S12 7 12 7z",
  "eyeglasses": "M3 14a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0zM14 14a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0zM10 13c1-1 3-1 4 0M3 13l2-6M21 13l-2-6",
  "lightbulb": "M9 18h6M10 21h4M8.5 15C6 13 5.5 11 5.5 9.5a6.5 6.5 0 0 1 13 0C18.5 11 18 13 15.5 15v3h-7z",
  "hammer": "M4 20l9-9M9 5l4-2 7 7-2.5 2.5-2-1L13 14l-4-4 2.5-2.5z",
  "music.note": "M9 18V5l11-2v13M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM20 16a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z",
  "guitars": "M20 4l-7 7M18 2l4 4M13 11c-2-2-4-1-5 1-4 0-6 4-4 7s7 3 8-1c2-1 3-4 1-6zM9 15v.01",
  "car": "M3 16v-4l2-5h14l2 5v4zM3 12h18M6 16v2M18 16v2M7 14h.01M17 14h.01",
  "tram": "M6 5h12v12H6zM6 11h12M9 2h6M12 2v3M9 14h.01M15 14h.01M8 17l-2 4M16 17l2 4",
  "airplane": "M12 2c1 0 1.5 2 1.5 4v4l8 5v2l-8-2.5V19l2 2v1L12 21l-3.5 1v-1l2-2v-4.5L2.5 17v-2l8-5V6c0-2 .5-4 1.5-4z",
  "ferry": "M12 3v3M7 6h10v4M7 6v4M3 12l9-3 9 3-2.5 6h-13zM2 20c2 1.4 3.3 1.4 5 0s3.3-1.4 5 0 3.3 1.4 5 0 3 1.4 5 0",
  "radio": "M6 8l11-5M3 8h18v12H3zM7 14a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0zM15 12h3M15 16h3",
  "bicycle": "M6 12a4 4 0 1 0 .01 0M18 12a4 4 0 1 0 .01 0M6 16l4-8h5l3 8M8 5h3M10 8l4 8M14 8l1-3h2",
  "bus": "M4 5h16v12H4zM4 11h16M12 5v6M7 14h.01M17 14h.01M6 17v3M18 17v3",
  "sun.max": "M12 8a4 4 0 1 0 .01 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5",
  "moon": "M20 14A8.5 8.5 0 1 1 10 4a7 7 0 0 0 10 10z",
  "cloud": "M7 18a4.5 4.5 0 0 1 0-9 5.5 5.5 0 0 1 10.5 1A4 4 0 0 1 17 18z",
  "cloud.rain": "M7 14a4 4 0 0 1 0-8 5.5 5.5 0 0 1 10.5 1A3.5 3.5 0 0 1 17 14zM8 17l-1 3M12 17l-1 3M16 17l-1 3",
  "cloud.bolt": "M7 14a4 4 0 0 1 0-8 5.5 5.5 0 0 1 10.5 1A3.5 3.5 0 0 1 17 14zM13 12l-3 5h3l-2 5",
  "snow": "M12 3v18M4.2 7.5l15.6 9M4.2 16.5l15.6-9M9.5 4L12 6.5 14.5 4M9.5 20l2.5-2.5 2.5 2.5",
  "wind": "M3 9h11a3 3 0 1 0-3-3M3 13h15a3 3 0 1 1-3 3M3 17h7a2 2 0 1 1-2 2",
  "film": "M4 5h16v14H4zM8 5v14M16 5v14M4 9h4M4 15h4M16 9h4M16 15h4",
  "wifi": "M3 10c5-5 13-5 18 0M6 13.5c3.5-3.5 8.5-3.5 12 0M9 17c2-2 4-2 6 0M12 20v.01",
  "circle": "M12 5a7 7 0 1 0 .01 0",
};

const aliases = {
  "music.mic": "music.note", "music.note.list": "music.note", "headphones": "music.note", "pianokeys": "music.note",
  "guitar": "guitars", "car.fill": "car", "tram.fill": "tram", "train.side.front.car": "tram",
  "scooter": "bicycle", "sun.min": "sun.max", "sunrise": "sun.max", "cloud.sun": "cloud", "cloud.fog": "cloud",
  "cloud.snow": "snow", "snowflake": "snow", "cloud.drizzle": "cloud.rain", "cloud.heavyrain": "cloud.rain",
  "tornado": "wind", "hurricane": "wind", "music": "music.note", "transportation": "tram", "weather": "cloud",
};

const own = (table, key) => (Object.hasOwn(table, key) ? table[key] : undefined);

/** @param {string} name */
const pathOf = (name) => own(paths, name) ?? own(paths, own(aliases, name) ?? "");

/** Whether there is a picture of this name. @param {string} name */
export const isSymbol = (name) => pathOf(name.replace(/\.fill$/, "")) !== undefined;

/**
 * A picture that says nothing to whoever does not see it; the text beside it does.
 * @param {string} name Unknown ones are a circle.
 * @returns {SVGElement}
 */
export function symbol(name) {
  const isFilled = name.endsWith(".fill");
  const base = isFilled ? name.slice(0, -5) : name;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", isFilled ? "symbol symbol-filled" : "symbol");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", pathOf(base) ?? paths.circle);
  svg.append(path);
  return svg;
}
