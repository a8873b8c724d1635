/** Parses plants and events. The id of a plant becomes a BigInt, since a number is not exact beyond 2^53. */
export function parsePlants(text) {
  return JSON.parse(text, (key, value, { source }) =>
    key === 'id' && typeof value === 'number' ? BigInt(source) : value,
  );
}

/** Calls `apply` with each event, in order. Continues after the last event whenever the stream ends. */
export async function follow(address, token, apply) {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
  for (;;) {
    const attempt = new AbortController();
    const silence = () => setTimeout(() => attempt.abort(), 40_000);
    let timer = silence();
    const response = await fetch(address, { headers, signal: attempt.signal }).catch(() => undefined);
    if (response?.ok) {
      // Where this stream begins. The next one begins there, too, if this one ends before its first event.
      address = new URL(/<(.*?)>/.exec(response.headers.get('Link'))[1], response.url).href;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read().catch(() => ({ done: true }));
        if (done) break;
        clearTimeout(timer);
        timer = silence();
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) {
          const [, data] = /^data: (.*)$/m.exec(block) ?? [];
          if (data === undefined) continue;
          const event = parsePlants(data);
          apply(event);
          headers['Last-Event-ID'] = event.id;
        }
      }
    } else if (response && response.status < 500 && response.status !== 429) throw new Error(await response.text());
    clearTimeout(timer);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
