/** Shows only the newest items of a long list, and a button for the rest. So the drawer needs only one scroll area. */

/** How many items each list shows first. */
const FIRST = 6;

for (const button of document.querySelectorAll('#sandbox .all')) {
  const list = document.querySelector(`#${button.dataset.list}`);
  let showsAll = false;
  const update = () => {
    list.classList.toggle('short', !showsAll);
    button.hidden = list.children.length <= FIRST;
    button.ariaExpanded = String(showsAll);
    button.textContent = showsAll ? 'Show fewer' : `Show all ${list.children.length}`;
  };
  button.addEventListener('click', () => {
    showsAll = !showsAll;
    update();
  });
  new MutationObserver(update).observe(list, { childList: true });
  update();
}
