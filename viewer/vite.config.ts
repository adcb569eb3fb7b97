// How the viewer is built: a few static files that ask for nothing but the worker's own API.
import { resolve } from 'node:path';
import { defineConfig } from 'vite';

// biome-ignore lint/style/noDefaultExport: Vite asks for one.
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  build: {
    outDir: resolve(import.meta.dirname, '../dist/viewer'),
    emptyOutDir: true,
    target: 'es2022',
    // Those that know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The page may not make a script of a text, and every browser that runs it preloads by itself.
    modulePreload: { polyfill: false },
    // One stylesheet and no picture inside it: the page's policy allows only what is served.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
  },
});
