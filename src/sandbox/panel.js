/** Makes a sandbox at the first request of the page, and shows what it received, with its faults as switches. */
// A block, since scripts of a page share their names.
{
  const panel = document.querySelector('#sandbox');
  const find = (selector) => panel.querySelector(selector);
  const switches = [...panel.querySelectorAll('input[data-rule]')];
  const list = find('#sandbox-requests');
  const said = find('#sandbox-said');
  const root = new URL('.', location.href).href.replace(/\/$/, '');

  /** For this tab alone: where the reference keeps the token that is filled in, and the sandbox that it belongs to. */
  const KEPT_TOKEN = 'plant-store-token';
  const KEPT = 'plant-store-sandbox';
  const POLL_MS = 1_000;
  const MOST_SHOWN = 8;

  /** A demo's token is that of a sandbox without an end. */
  const given = document.querySelector('#reference').dataset.token;
  let sandbox = given ? { token: given } : JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
  if (sandbox?.expiresAt && Date.parse(sandbox.expiresAt) <= Date.now()) leave();
  let last = 0;

  const plainFetch = window.fetch.bind(window);
  const paths = `${root}/plants`;

  // The reference sends by fetch. A request of its own that has no token gets that of a sandbox, which is made if need be.
  window.fetch = async (input, init) => {
    const request = new Request(input, init);
    const isOperation = request.url.startsWith(paths) && request.method !== 'OPTIONS';
    if (!isOperation || /^Bearer\s+\S/.test(request.headers.get('Authorization') ?? '')) return plainFetch(request);
    sandbox ??= await make();
    request.headers.set('Authorization', `Bearer ${sandbox.token}`);
    return plainFetch(request);
  };

  async function make() {
    const response = await plainFetch(`${root}/sandboxes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ plants: 'garden' }),
    });
    const made = await response.json();
    if (response.status !== 201) {
      say(made.message);
      throw new TypeError(made.message);
    }
    sessionStorage.setItem(KEPT, JSON.stringify(made));
    sessionStorage.setItem(KEPT_TOKEN, made.token);
    sandbox = made;
    fillIn(made.token);
    show();
    return made;
  }

  /** As if it were typed, into each field that the reference has for it. */
  function fillIn(token) {
    for (const field of document.querySelectorAll('#reference input[placeholder="Token"]')) {
      field.value = token;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }

  function leave() {
    if (sessionStorage.getItem(KEPT_TOKEN) === sandbox.token) sessionStorage.removeItem(KEPT_TOKEN);
    sessionStorage.removeItem(KEPT);
    sandbox = undefined;
  }

  /** Resolves to the response, or to undefined where it was refused, which the reader is told. */
  async function send(method, path, body) {
    const headers = { Authorization: `Bearer ${sandbox.token}`, 'Content-Type': 'application/json' };
    const response = await plainFetch(root + path, { method, headers, body: body && JSON.stringify(body) });
    if (response.ok) return response;
    say((await response.json()).message);
    return undefined;
  }

  function say(text) {
    said.textContent = text;
  }

  function show() {
    const isThere = sandbox !== undefined && sandbox !== null;
    find('fieldset').disabled = !isThere;
    find('#sandbox-reset').disabled = !isThere;
    find('#sandbox-hint').hidden = isThere;
    const hint = document.querySelector('#need-token');
    if (hint !== null) hint.hidden = isThere;
    find('#sandbox-state').textContent = isThere ? timeLeft() : '';
  }

  function timeLeft() {
    if (!sandbox.expiresAt) return '';
    const minutes = Math.max(0, Math.ceil((Date.parse(sandbox.expiresAt) - Date.now()) / 60_000));
    return minutes > 90 ? `ends in ${Math.round(minutes / 60)} h` : `ends in ${minutes} min`;
  }

  for (const one of switches) {
    one.addEventListener('change', async () => {
      const rules = switches.filter((each) => each.checked).map((each) => JSON.parse(each.dataset.rule));
      const set = await send('PUT', '/sandbox/faults', rules);
      if (set === undefined) one.checked = !one.checked;
      else say(rules.length === 0 ? 'No faults.' : 'From the next request on.');
    });
  }

  find('#sandbox-reset').addEventListener('click', async () => {
    if (await send('POST', '/sandbox/reset')) say('The plants are those that it began with.');
  });

  function add({ method, target, status, error, fault, milliseconds }) {
    const item = document.createElement('li');
    const outcome = fault?.startsWith('reset') ? 'no response' : (error ?? status);
    item.textContent = `${method} ${target} – ${outcome}${fault === undefined ? '' : `, fault: ${fault}`} (${milliseconds} ms)`;
    list.append(item);
    while (list.children.length > MOST_SHOWN) list.firstChild.remove();
  }

  async function poll() {
    try {
      if (sandbox && !document.hidden) {
        const response = await send('GET', `/sandbox/requests?after=${last}`);
        for (const request of (await response?.json()) ?? []) {
          last = request.number;
          add(request);
        }
        find('#sandbox-state').textContent = timeLeft();
      }
    } catch {
      // The service is not there now: the next poll shows whether it is again.
    }
    setTimeout(poll, POLL_MS);
  }

  async function showFaults() {
    const response = sandbox && (await send('GET', '/sandbox/faults'));
    const rules = (await response?.json()) ?? [];
    for (const one of switches) one.checked = rules.some((rule) => JSON.stringify(rule) === one.dataset.rule);
  }

  // On a narrow screen it would hide the reference.
  find('details').open = matchMedia('(min-width: 721px)').matches;
  show();
  void showFaults().catch(() => undefined);
  poll();
}
