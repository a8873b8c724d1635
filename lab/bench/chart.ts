/** Bar charts as SVG, readable on a phone, in light and dark mode. */
import { type Html, html, lines } from '../../src/util/html.ts';
import { number, type Spread } from './figures.ts';

export interface Bar {
  readonly label: string;
  readonly value: Spread;
  /** Whether the bar is Plant Store's. */
  readonly ours: boolean;
}

/** Narrow, so that a phone hardly has to scale it. */
const WIDTH = 420;
const MARGIN = 12;
const HEAD = 62;
const ROW = 48;
const BAR_HEIGHT = 16;
/** Room for the value next to the longest bar. */
const VALUE_WIDTH = 84;

/** Draws horizontal bars that begin at 0. A thin line on each goes from the lowest to the highest round. */
export function chart(title: string, unit: string, bars: readonly Bar[]): string {
  const height = HEAD + bars.length * ROW + MARGIN;
  const most = Math.max(...bars.map(({ value }) => value.high));
  const scale = (WIDTH - 2 * MARGIN - VALUE_WIDTH) / most;
  const spoken = bars.map(({ label, value }) => `${label} ${number(value.median)}`).join(', ');
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" \
aria-labelledby="title desc">
<title id="title">${title}</title>
<desc id="desc">${`${unit}: ${spoken}`}</desc>
<style>
  :root { --ground: #fff; --text: #1f2328; --soft: #59636e; --bar: #8c959f; --ours: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #0d1117; --text: #f0f6fc; --soft: #9198a1; --bar: #656c76; --ours: #3fb950; }
  }
  text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; \
font-size: 15px; fill: var(--text); }
  .title { font-size: 18px; font-weight: 600; }
  .unit { fill: var(--soft); }
  .ours { font-weight: 600; }
</style>
<rect width="${WIDTH}" height="${height}" rx="6" style="fill: var(--ground)"/>
<text class="title" x="${MARGIN}" y="26">${title}</text>
<text class="unit" x="${MARGIN}" y="47">${unit}</text>
${lines(bars.map((bar, i) => draw(bar, HEAD + i * ROW, scale)))}
</svg>
`.toString();
}

function draw({ label, value, ours }: Bar, top: number, scale: number): Html {
  const end = (of: number) => (MARGIN + of * scale).toFixed(1);
  const middle = top + 22 + BAR_HEIGHT / 2;
  const text = ours ? html` class="ours"` : '';
  return html`<text${text} x="${MARGIN}" y="${top + 15}">${label}</text>
<rect x="${MARGIN}" y="${top + 22}" width="${(value.median * scale).toFixed(1)}" height="${BAR_HEIGHT}" rx="2" \
style="fill: var(--${ours ? 'ours' : 'bar'})"/>
<path d="M${end(value.low)} ${middle}H${end(value.high)}" style="stroke: var(--text); stroke-width: 1.5"/>
<text${text} x="${(MARGIN + value.high * scale + 8).toFixed(1)}" y="${top + 35}">${number(value.median)}</text>`;
}
