/** Creates a sandbox for the first request of the page. Shows the received requests, and switches for faults. */
// The block keeps these names apart from those of the page's other scripts.
{
  const panel = document.querySelector('#sandbox');
  const find = (selector) => panel.querySelector(selector);
  const switches = [...panel.querySelectorAll('input[data-rule]')];
  const list = find('#sandbox-requests');
  const root = new URL('.', location.href).href.replace(/\/$/, '');

  /** Keys in the storage of this tab: the token that the reference fills in, and the sandbox. */
  const KEPT_TOKEN = 'plant-store-token';
  const KEPT = 'plant-store-sandbox';
  const POLL_MS = 1_000;
  const MOST_SHOWN = 8;

  // In a demo the page contains the token of a sandbox that never expires.
  const given = document.querySelector('#reference').dataset.token;
  let sandbox = given ? { token: given } : JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
  if (sandbox?.expiresAt && Date.parse(sandbox.expiresAt) <= Date.now()) leave();
  let last = 0;

  const plainFetch = window.fetch.bind(window);

  // The reference sends its requests with fetch. A request without a token gets the sandbox's token.
  window.fetch = async (input, init) => {
    const request = new Request(input, init);
    const isOperation = request.url.startsWith(`${root}/plants`) && request.method !== 'OPTIONS';
    if (!isOperation || /^Bearer\s+\S/.test(request.headers.get('Authorization') ?? '')) return plainFetch(request);
    sandbox ??= await create();
    request.headers.set('Authorization', `Bearer ${sandbox.token}`);
    return plainFetch(request);
  };

  async function create() {
    const response = await plainFetch(`${root}/sandboxes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ plants: 'garden' }),
    });
    const created = await response.json();
    if (response.status !== 201) {
      showStatus(created.message);
      throw new TypeError(created.message);
    }
    sessionStorage.setItem(KEPT, JSON.stringify(created));
    sessionStorage.setItem(KEPT_TOKEN, created.token);
    sandbox = created;
    fillIn(created.token);
    show();
    return created;
  }

  /** Fills in each field for a token, as if the user had typed. */
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

  /** Resolves to a successful response. Shows the message of any other response and resolves to undefined. */
  async function send(method, path, body) {
    const headers = { Authorization: `Bearer ${sandbox.token}`, 'Content-Type': 'application/json' };
    const response = await plainFetch(root + path, { method, headers, body: body && JSON.stringify(body) });
    if (response.ok) return response;
    showStatus((await response.json()).message);
    return undefined;
  }

  function showStatus(text) {
    find('#sandbox-status').textContent = text;
  }

  function show() {
    const isThere = Boolean(sandbox);
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
      else showStatus(rules.length === 0 ? 'No faults.' : 'On. It applies from your next request.');
    });
  }

  find('#sandbox-reset').addEventListener('click', async () => {
    if (await send('POST', '/sandbox/reset')) {
      showStatus('Your plants are back to the initial set. Faults stay switched on.');
    }
  });

  function add({ method, target, status, error, fault, milliseconds }) {
    const item = document.createElement('li');
    const response = fault?.startsWith('reset') ? 'no response' : error === undefined ? status : `${status} (${error})`;
    const parts = [`${method} ${target} → ${response}`, `${milliseconds} ms`, ...(fault ? [`fault: ${fault}`] : [])];
    item.textContent = parts.join(' · ');
    list.prepend(item);
    while (list.children.length > MOST_SHOWN) list.lastChild.remove();
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
      // The service cannot be reached. The next poll tries again.
    }
    setTimeout(poll, POLL_MS);
  }

  async function showFaults() {
    const response = sandbox && (await send('GET', '/sandbox/faults'));
    const rules = (await response?.json()) ?? [];
    for (const one of switches) one.checked = rules.some((rule) => JSON.stringify(rule) === one.dataset.rule);
  }

  function openDrawer(isOpen) {
    document.documentElement.dataset.drawer = isOpen ? 'open' : 'closed';
    find('#sandbox-drawer').hidden = !isOpen;
    find('#sandbox-toggle').ariaExpanded = String(isOpen);
  }

  find('#sandbox-toggle').addEventListener('click', () => openDrawer(find('#sandbox-drawer').hidden));
  openDrawer(matchMedia('(min-width: 1100px)').matches);
  show();
  void showFaults().catch(() => undefined);
  poll();
}
