// The edit mode of a list, as its layout has one: what deletes, adds and selects is shown, and rows lead nowhere.

import { announce, el } from "../base/dom.js";
import { editTitle } from "../item/itemedit.js";
import { haveEditMode } from "../rows/cells.js";

export class Editing {
  /**
   * @param {import("./actions.js").Actions} actions
   * @param {import("./selection.js").Selection} selection
   * @param {import("./frame.js").Frame} frame
   */
  constructor(actions, selection, frame) {
    this.actions = actions;
    this.selection = selection;
    this.button = frame.editButton;
    this.button.addEventListener("click", () => (actions.isEditing ? this.end() : this.#set(true)));
    frame.editing = this;
  }

  /** Offers the mode where something is shown only in it. @param {import("../rows/model.js").ListModel} model */
  show(model) {
    // Of a long list that is those of all sections, near or not.
    const { sections } = model.list.getSnapshot();
    this.button.hidden = !sections.some((section) => haveEditMode((section.layout ?? model.layout)?.cells));
    if (this.button.hidden) this.end();
  }

  end() {
    if (this.actions.isEditing) this.#set(false);
  }

  #set(isEditing) {
    this.actions.isEditing = isEditing;
    // On the whole page, because the picture of a dragged row stands beside the list.
    document.documentElement.classList.toggle("is-editing", isEditing);
    this.button.textContent = isEditing ? "Done" : "Edit";
    takeBackQuestion();
    if (!isEditing) this.selection.clear();
    announce(isEditing ? "Editing" : "Done editing");
  }
}

// MARK: Deleting

let takeBackQuestion = () => {};

/** The second tap deletes. @param {HTMLElement} row @param {string} name */
export function askToDelete(row, name) {
  takeBackQuestion();
  const button = el("button", {
    class: "confirm-delete", type: "button", "data-action": "delete", "aria-label": `Delete ${name}`,
    onkeydown: (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
      row.focus();
    },
    onblur: () => close(),
  }, "Delete");
  const close = () => {
    if (takeBackQuestion !== close) return;
    takeBackQuestion = () => {};
    document.removeEventListener("pointerdown", onPress, true);
    button.remove();
  };
  const onPress = (event) => button.contains(event.target) || close();
  takeBackQuestion = close;
  document.addEventListener("pointerdown", onPress, true);
  row.append(button);
  button.focus({ preventScroll: true });
}

// MARK: Adding

/** Edits the title of a row as soon as it is there. @param {import("./actions.js").Actions} actions @param {string} id */
export function editTitleWhenThere(actions, id) {
  const { collection } = actions;
  collection.focusWhenThere(id);
  let attempts = 60;
  const look = () => {
    const row = collection.rows.get(id);
    if (row && document.activeElement === row) editTitle(actions, id);
    else if (attempts-- > 0 && collection.content.isConnected) requestAnimationFrame(look);
    else collection.focusWhenThere("");
  };
  requestAnimationFrame(look);
}
