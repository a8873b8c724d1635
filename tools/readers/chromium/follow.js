/** Calls `apply` with each event, in order. Continues after the last event whenever the stream ends. */
export async function follow(address, token, apply) {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
  // JSON.parse rounds an id beyond 2^53.
  const keepId = (key, value, { source }) => (key === 'id' && typeof value === 'number' ? BigInt(source) : value);
  for (;;) {
    const response = await fetch(address, { headers }).catch(() => undefined);
    if (response?.ok) {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read().catch(() => ({ done: true }));
        if (done) break;
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) {
          const [, data] = /^data: (.*)$/m.exec(block) ?? [];
          if (data === undefined) continue;
          const event = JSON.parse(data, keepId);
          apply(event);
          headers['Last-Event-ID'] = event.id;
        }
      }
    } else if (response && response.status < 500 && response.status !== 429) throw new Error(await response.text());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
