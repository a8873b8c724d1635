/**
 * The fields of each block of Server-Sent Events (WHATWG HTML, 9.2.5), such as `id`, `event`, `data` and `retry`. This
 * reads what the service writes: lines that end with LF, and one line of data. A block without its end is left out.
 */
export async function* readBlocks(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) yield fieldsOf(block);
  }
}

/** A line that begins with a colon is a comment, which gets an empty name. */
function fieldsOf(block) {
  return Object.fromEntries(
    block.split('\n').map((line) => {
      const [name] = line.split(':', 1);
      return [name, line.slice(name.length + 1).replace(/^ /, '')];
    }),
  );
}
