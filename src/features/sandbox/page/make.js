/** An element with a text. */
export function make(name, text = '') {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
