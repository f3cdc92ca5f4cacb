import { createHash } from 'node:crypto'
import { ApiError } from '@touchstone/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The feedback in the query of a link. */
export type LinkContent = Readonly<Record<string, unknown>>

/**
 * Sends a page that asks before feedback is recorded: only its button submits the feedback.
 *
 * @param action  where the button posts to, relative to the page
 */
export function sendAskingPage(reply: FastifyReply, key: string, content: LinkContent, action: string): FastifyReply {
  const given = Object.entries(content).filter(([, value]) => value != null)
  if (given.length === 0)
    return send(reply, 400, 'Nothing to send', '<p>This link carries no score and no comment.</p>')
  const rows = given.map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(toText(value))}</dd></div>`,
  )
  return send(
    reply,
    200,
    'Send feedback?',
    `<dl><div><dt>feedback</dt><dd>${escapeHtml(key)}</dd></div>${rows.join('')}</dl>
<form method="post" action="${escapeHtml(action)}"><button type="submit">Send feedback</button></form>`,
  )
}

export function sendThanksPage(reply: FastifyReply): FastifyReply {
  return send(reply, 200, 'Feedback sent', '<p role="status">Thank you. You can close this page.</p>')
}

/** Sends an error page. @throws any error that is not an ApiError */
export function sendProblemPage(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof ApiError)) throw error
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(error.retryAfterSeconds))
  return send(reply, error.status, 'Feedback was not sent', `<p role="alert">${escapeHtml(error.message)}</p>`)
}

const STYLE = `
:root { color-scheme: light dark; --bg: #f9fafb; --surface: #ffffff; --border: #8a8f98; --fg: #191d24; --muted: #535861; --accent: #215cd0; --on-accent: #ffffff }
@media (prefers-color-scheme: dark) { :root { --bg: #0c0e12; --surface: #13161a; --border: #676c75; --fg: #ebedf1; --muted: #a8adb4; --accent: #75a3f9; --on-accent: #0c0e12 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--bg); color: var(--fg); font: 1rem/1.5 system-ui, sans-serif }
main { width: min(28rem, 100%); padding: 1.5rem; background: var(--surface); border: 1px solid var(--border); border-radius: .5rem; overflow-wrap: anywhere }
h1 { margin: 0 0 1rem; font-size: 1.25rem }
p { margin: 0 }
dl { margin: 0 0 1.5rem; display: grid; gap: .5rem }
dl div { display: grid; grid-template-columns: 6rem 1fr; gap: .5rem }
dt { color: var(--muted) }
dd { margin: 0; white-space: pre-wrap }
button { width: 100%; padding: .625rem 1rem; border: 0; border-radius: .375rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer }
button:focus-visible { outline: 2px solid var(--fg); outline-offset: 2px }
`

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

function send(reply: FastifyReply, status: number, title: string, content: string): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    })
    .send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>
${content}
</main></body>
</html>
`)
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign)

/** Programs that open links in messages: security scanners and link previews. */
const SCANNER =
  /bot\b|crawl|spider|preview|scan|safelinks|proofpoint|mimecast|barracuda|facebookexternalhit|slack|whatsapp|telegram|linkexpand|virustotal|microsoft office|ms-office|outlook/i

/**
 * Whether a GET of a feedback link is answered with a page with a button, without recording feedback. Scanners and link
 * previews also open links, so a GET only records feedback from a script of a web page, or from an HTTP client that looks
 * neither like a browser nor like a scanner.
 */
export function wantsPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const text = (name: string) => String(headers[name] ?? '').toLowerCase()
  const accept = text('accept')
  const mode = text('sec-fetch-mode')
  const isPrefetch = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|preview/.test(text(name)),
  )
  if (method === 'HEAD' || isPrefetch || mode === 'navigate' || /text\/html|application\/xhtml/.test(accept))
    return true
  if (mode !== '' || headers.origin !== undefined || accept.includes('application/json')) return false
  return /^mozilla\//.test(text('user-agent')) || SCANNER.test(text('user-agent'))
}
