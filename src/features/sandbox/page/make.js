/** An element with a text. */
export function make(name, text = '', className = '') {
  return Object.assign(document.createElement(name), { textContent: text, className });
}

/** Such as `1 fault` and `2 faults`. */
export const countOf = (number, what) => `${number} ${what}${number === 1 ? '' : 's'}`;
