/** Replaces data in brackets or braces from the inside out, in one pass: testers print what strangers sent. */

/** A bracket that was opened, or the text outside of all brackets. */
interface Frame {
  readonly open: string;
  text: string;
  /** The opening brackets that were kept in the text. */
  readonly kept: Set<string>;
}

const OPENING: ReadonlyMap<string, string> = new Map([
  [']', '['],
  ['}', '{'],
]);

/**
 * `replace` gets data with its brackets. Brackets around kept brackets of the same kind are kept too. A bracket
 * without its counterpart is text.
 */
export function replaceEnclosed(text: string, replace: (data: string) => string): string {
  const frames: Frame[] = [];
  const outside: Frame = { open: '', text: '', kept: new Set() };
  const top = () => frames.at(-1) ?? outside;
  const add = (text: string, kept: Iterable<string>) => {
    const frame = top();
    frame.text += text;
    for (const open of kept) frame.kept.add(open);
  };
  const opened = new Map([...OPENING.values()].map((open) => [open, 0]));
  const takeOff = () => {
    const frame = frames.pop() ?? outside;
    opened.set(frame.open, (opened.get(frame.open) ?? 0) - 1);
    return frame;
  };
  for (const [token] of text.matchAll(/[[\]{}]|[^[\]{}]+/g)) {
    const open = OPENING.get(token);
    if (opened.has(token)) {
      frames.push({ open: token, text: '', kept: new Set() });
      opened.set(token, (opened.get(token) ?? 0) + 1);
    } else if (open === undefined || opened.get(open) === 0) add(token, []);
    else {
      let frame = takeOff();
      while (frame.open !== open) {
        add(frame.open + frame.text, frame.kept);
        frame = takeOff();
      }
      const data = open + frame.text + token;
      const isKept = frame.kept.has(open);
      const shown = isKept ? data : replace(data);
      frame.kept.add(open);
      add(shown, isKept ? frame.kept : [...frame.kept].filter((kind) => shown.includes(kind)));
    }
  }
  while (frames.length > 0) {
    const { open, text, kept } = takeOff();
    add(open + text, kept);
  }
  return outside.text;
}
