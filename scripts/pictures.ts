// npm run pictures: makes the pictures of README and docs, light and dark, from what the demo really prints and what the viewer really shows.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { findChromium } from './chromium.ts';

const ROOT = join(import.meta.dir, '..');
const FOLDER = join(ROOT, 'docs/pictures');
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Pages of the viewer that a document shows, by the name of their picture. */
const PAGES = { search: '/view/search?q=how%20long%20do%20we%20wait%20for%20the%20carrier', next: '/view/preview' };
/** The one that stands behind the terminal. */
const BEHIND: keyof typeof PAGES = 'search';
const VIEWER = { width: 1180, height: 940 };
const TERMINAL = { cols: 80, rows: 40 };
const HERO = { width: 1040, height: 720 };
/** Pixels of the picture for one of the page: letters stay sharp on most screens. */
const SHARPNESS = 1.5;
/** Anything bigger is slow to see. */
const MOST_BYTES = 150_000;

async function main(): Promise<void> {
  const demo = await startDemo();
  const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    const page = await (await browser.newContext({ viewport: VIEWER, locale: 'en-GB', deviceScaleFactor: SHARPNESS })).newPage();
    const { origin, hash } = new URL(demo.link);
    await open(page, `${origin}/${hash}`);
    const shown = cutShown(demo.printed);
    for (const theme of THEMES) await takeTheme(page, theme, { origin, shown });
    // What a picture says no test can read: this is compared with what the demo prints.
    writeFileSync(join(FOLDER, 'hero.txt'), `${Bun.stripANSI(shown)}\n`);
  } finally {
    await browser.close();
    await demo.end();
  }
}

async function takeTheme(page: Page, theme: Theme, { origin, shown }: { origin: string; shown: string }): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  const shots: Record<string, Buffer> = {};
  for (const [name, path] of Object.entries(PAGES)) {
    await open(page, origin + path);
    shots[name] = await page.screenshot();
    await keep(page, `viewer-${name}-${theme}`, shots[name]);
  }
  const hero = await page.context().newPage();
  await hero.emulateMedia({ colorScheme: theme });
  await hero.setViewportSize(HERO);
  await hero.setContent(drawHero(theme, shots[BEHIND] ?? Buffer.alloc(0), shown));
  await keep(page, `hero-${theme}`, await hero.locator('body').screenshot());
  await hero.close();
}

/** Resolves when the page has all that it asked for. */
async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('main h1').first().waitFor();
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** As WebP, which a browser can write: a third of the size. */
async function keep(page: Page, name: string, png: Buffer): Promise<void> {
  const blank = await page.context().newPage();
  const base64 = await blank.evaluate<string>(`(async () => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.8).split(',')[1];
  })()`);
  await blank.close();
  const path = join(FOLDER, `${name}.webp`);
  writeFileSync(path, Buffer.from(base64, 'base64'));
  const { size } = statSync(path);
  console.log(`${path.slice(ROOT.length + 1)}: ${Math.ceil(size / 1000)} KB`);
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}.`);
}

type Demo = { printed: string; link: string; end: () => Promise<void> };

/** In a terminal, with colours, until it serves its viewer. */
async function startDemo(): Promise<Demo> {
  const ready = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  let printed = '';
  const child = Bun.spawn(['/bin/sh', join(ROOT, 'bin/claude-mem'), 'demo', '--viewer'], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    terminal: {
      ...TERMINAL,
      data(_, bytes) {
        printed += decoder.decode(bytes, { stream: true });
        if (printed.includes('Ctrl-C ends')) ready.resolve();
      },
    },
  });
  await Promise.race([ready.promise, child.exited]);
  const link = printed.match(/^http:\S+(?=\r)/m)?.[0];
  if (!link) throw new Error(`The demo printed no link to its viewer:\n${printed}`);
  const end = async () => {
    child.kill('SIGTERM');
    await child.exited;
  };
  return { printed: printed.replaceAll('\r\n', '\n'), link, end };
}

const COLOURS: Record<Theme, { page: string; text: string; dim: string; cyan: string; frame: string; bar: string }> = {
  light: { page: '#ffffff', text: '#1f2328', dim: '#6e7781', cyan: '#0a6c74', frame: '#d0d7de', bar: '#f6f8fa' },
  dark: { page: '#0d1117', text: '#e6edf3', dim: '#8b949e', cyan: '#56d4dd', frame: '#30363d', bar: '#161b22' },
};

const LINES = 37;

/** What the next session gets, behind the rules and the legend. */
function cutShown(printed: string): string {
  const lines = printed.split('\n');
  const from = lines.findIndex((line) => line.includes('## Last session'));
  return lines.slice(from, from + LINES).join('\n');
}

/** The viewer, and a terminal before it. */
function drawHero(theme: Theme, viewer: Buffer, shown: string): string {
  const { page, text, dim, cyan, frame, bar } = COLOURS[theme];
  const shadow = theme === 'light' ? '0 12px 40px rgb(31 35 40 / 25%)' : '0 12px 40px rgb(0 0 0 / 70%)';
  return `<style>
    body { margin: 0; width: ${HERO.width}px; height: ${HERO.height}px; position: relative; background: ${page}; overflow: hidden }
    img, figure { position: absolute; border: 1px solid ${frame}; border-radius: 10px; box-shadow: ${shadow} }
    img { left: 16px; top: 16px; width: 760px }
    figure { right: 16px; bottom: 16px; margin: 0; background: ${page}; color: ${text}; overflow: hidden }
    figcaption { background: ${bar}; border-bottom: 1px solid ${frame}; color: ${dim}; font: 13px system-ui, sans-serif; padding: 7px 14px }
    pre { margin: 0; padding: 10px 16px 14px; font: 12.5px/1.3 'DejaVu Sans Mono', monospace }
    .bold { font-weight: 700 } .dim { color: ${dim} } .cyan { color: ${cyan} }
  </style><img src="data:image/png;base64,${viewer.toString('base64')}"><figure><figcaption>$ claude-mem demo</figcaption><pre>${toHtml(shown)}</pre></figure>`;
}

const CLASSES: Record<string, string> = { 1: 'bold', 2: 'dim', 36: 'cyan' };

function toHtml(ansi: string): string {
  const escaped = ansi.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replace(/\x1b\[(\d+)m([\s\S]*?)\x1b\[0m/g, (_, code, inner) => `<span class="${CLASSES[code] ?? ''}">${inner}</span>`);
}

if (import.meta.main) await main();
