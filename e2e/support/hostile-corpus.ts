/** Target of hostile links. No server answers there, and no request may be sent to it. */
export const FOREIGN = 'https://evil.example'

const RUNS = `alert('ran')`

/**
 * Texts that would run a script, load external content, restyle the page or mislead its reader if a page allowed it.
 */
export const LURES: readonly string[] = [
  `<script>${RUNS}</script>`,
  `<img src=x onerror="${RUNS}">`,
  `<img src="${FOREIGN}/pixel.png">`,
  `"><svg onload="${RUNS}"><script href="${FOREIGN}/a.js"></script></svg>`,
  `'"--></style></script></title></textarea><svg/onload=${RUNS}>`,
  `<iframe srcdoc="<script>parent.${RUNS}</script>"></iframe><iframe src="javascript:${RUNS}"></iframe>`,
  `<object data="${FOREIGN}/x.swf"></object><embed src="${FOREIGN}/y"><base href="${FOREIGN}/">`,
  `<style>*{display:none}@import '${FOREIGN}/a.css';body{background:url(${FOREIGN}/b.png)}</style>`,
  `<link rel="stylesheet" href="${FOREIGN}/c.css"><meta http-equiv="refresh" content="0;url=${FOREIGN}/d">`,
  `<div style="position:fixed;inset:0;background:url('${FOREIGN}/e.png')" onmouseover="${RUNS}">over</div>`,
  `<form action="${FOREIGN}/f"><input name=key autofocus onfocus="${RUNS}"><button formaction="javascript:${RUNS}">go</button></form>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUNS}&gt;">`,
  `javascript:${RUNS}`,
  `data:text/html,<script>${RUNS}</script>`,
  `{{constructor.constructor("${RUNS}")()}} \${${RUNS}} <%= ${RUNS} %>`,
  `expression(${RUNS}); } * { background: url(${FOREIGN}/g.png) } :root{--x:url(${FOREIGN}/h)}`,
  '\u202Etxt.exe\u202C \u2066\u2067\u2068 \u200Bzero\u200D\uFEFF width \u2028line\u2029paragraph \u0007\u001B[31mred\u001B[0m',
  `Z${'\u0300\u0316\u0488'.repeat(60)}algo`,
  'wide'.repeat(500),
  '__proto__',
  'constructor',
  '\uD83D\uDE00'.repeat(200),
]

/** Links, images and blocks in Markdown. */
export const MARKDOWN = [
  `[script](javascript:${RUNS}) [escaped](java&#115;cript:${RUNS}) [tab](java\tscript:${RUNS}) [case](JaVaScRiPt:${RUNS})`,
  `[page](data:text/html;base64,${Buffer.from(`<script>${RUNS}</script>`).toString('base64')}) [vb](vbscript:${RUNS})`,
  `[honest](${FOREIGN}/honest) <${FOREIGN}/auto> [reference][r] ${FOREIGN}/bare`,
  `![picture](${FOREIGN}/picture.png) ![script](javascript:${RUNS}) ![svg](data:image/svg+xml,<svg onload=${RUNS}>)`,
  `[r]: javascript:${RUNS} "title\\" onmouseover=${RUNS}"`,
  `| a | b |\n|---|---|\n| <img src=x onerror=${RUNS}> | [x](javascript:${RUNS}) |`,
  `\`\`\`html\n<script>${RUNS}</script>\n\`\`\`\n\n\`\`\`"onload=${RUNS}\nx\n\`\`\``,
  `<details open ontoggle="${RUNS}"><summary>open</summary></details>`,
  `- [ ] <input onfocus=${RUNS} autofocus>\n- ~~<b onclick=${RUNS}>struck</b>~~`,
  `[^1]\n\n[^1]: <svg onload=${RUNS}>`,
  `${'> '.repeat(200)}deep`,
  `${'*'.repeat(2_000)}a`,
].join('\n\n')

/** A document that runs code when a browser opens it with its declared type. */
export const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="${RUNS}">
<script>${RUNS}</script><image xlink:href="${FOREIGN}/svg.png"/><foreignObject><iframe src="javascript:${RUNS}"/></foreignObject></svg>`
export const HTML = `<!doctype html><script>${RUNS};fetch('${FOREIGN}/fetched')</script><img src="${FOREIGN}/html.png">`

export const XML = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${FOREIGN}/a.xsl"?>
<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x xmlns:h="http://www.w3.org/1999/xhtml">&e;<h:script>${RUNS}</h:script></x>`

/** Media types that a careless client treats as a page or an image. */
export const ODD_TYPES: readonly string[] = [
  'text/html; charset=utf-7',
  'TEXT/HTML',
  'application/xhtml+xml',
  'image/svg+xml; x=<script>',
  'text/xsl',
  'multipart/x-mixed-replace; boundary=x',
  'application/octet-stream, text/html',
  'application/x-shockwave-flash',
  'text/plain\ttext/html',
]

/** Keys with a special meaning in JavaScript objects, as own properties in JSON text. */
export const prototypeKeys = (): Record<string, unknown> =>
  JSON.parse(
    `{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"toString":"x","hasOwnProperty":1,"valueOf":null,"length":-1,"then":"x","key":"k","ref":"r","dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${RUNS}>"}}`,
  )

/** An object whose keys and values are all hostile texts. */
export const luresAsKeys = (): Record<string, string> => Object.fromEntries(LURES.map((lure) => [lure, lure]))
