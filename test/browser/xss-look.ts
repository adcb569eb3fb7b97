// Looks through a page for anything that a payload has become but text.
import type { Page } from '@playwright/test';

export type Look = {
  /** What should not be there. */
  bad: string[];
  /** The marks that are seen as text. */
  seen: string[];
};

/** What the viewer never makes; and every attribute that acts. */
const FOREIGN =
  'img, image, iframe, frame, frameset, object, embed, applet, style, base, math, video, audio, source, track, marquee, template, #app noscript, xmp, plaintext, portal, animate, set, use, foreignObject, mglyph, form[action], [formaction], [srcdoc], [srcset], meta[http-equiv="refresh"], body body, title ~ title, #app #app, svg a, svg script, svg style, [contenteditable]';

/** Where a text may stand besides in a text node. */
const TEXT_ATTRIBUTES = ['value', 'title', 'aria-label', 'aria-valuetext', 'placeholder', 'href', 'list'];

export const lookForTraces = (page: Page): Promise<Look> =>
  page.evaluate(
    ({ foreign, textAttributes }) => {
      const bad: string[] = [];
      const note = (why: string, one: Element) => bad.push(`${why}: ${one.outerHTML.slice(0, 200)}`);
      const mark = /xss\d+x/;
      for (const one of document.querySelectorAll(foreign)) note('foreign', one);
      for (const one of document.querySelectorAll('*')) {
        if (mark.test(one.tagName.toLowerCase())) note('tag', one);
        for (const { name, value } of one.attributes) {
          if (name.startsWith('on') || mark.test(name)) note(`attribute ${name}`, one);
          if (mark.test(value) && !textAttributes.includes(name)) note(`value of ${name}`, one);
        }
        if (one instanceof HTMLScriptElement && !/^\/(assets\/[\w.-]+|theme)\.js$/.test(one.getAttribute('src') ?? '')) note('script', one);
        if (one instanceof HTMLLinkElement && !/^\/[\w./-]+$/.test(one.getAttribute('href') ?? '')) note('link', one);
        if (one instanceof HTMLAnchorElement && one.origin !== location.origin) note('address', one);
      }
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      let text = '';
      while (texts.nextNode()) text += ` ${texts.currentNode.nodeValue}`;
      return { bad, seen: [...new Set(text.match(/xss\d+x/g) ?? [])] };
    },
    { foreign: FOREIGN, textAttributes: TEXT_ATTRIBUTES },
  );

/** The paths that the viewer itself asks for. */
export const isKnownPath = (path: string) =>
  path === '/' || path === '/theme.js' || path === '/favicon.svg' || path === '/stream' || /^\/(view|assets|api)\//.test(path);
