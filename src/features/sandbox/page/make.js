/** An element with a text. */
export function make(name, text = '', className = '') {
  return Object.assign(document.createElement(name), { textContent: text, className });
}

/** Removes the oldest items of a list. `shown`: its items by number, oldest first. */
export function removeOldest(shown, most) {
  for (const [number, { item }] of shown) {
    if (shown.size <= most) return;
    shown.delete(number);
    item.remove();
  }
}

/** Such as `1 fault` and `2 faults`. */
export const countOf = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;
