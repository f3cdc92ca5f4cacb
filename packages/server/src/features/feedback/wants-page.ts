import type { FastifyRequest } from 'fastify'

/** Programs that open links of messages: to look for harm, or to show a preview. */
const SCANNER =
  /bot\b|crawl|spider|preview|scan|safelinks|proofpoint|mimecast|barracuda|facebookexternalhit|slack|whatsapp|telegram|linkexpand|virustotal|microsoft office|ms-office|outlook/i

/**
 * Whether a GET of a feedback link is answered with a page and a button rather than counted. Programs that scan or preview
 * messages open links too, so a GET counts only when a program clearly means it: a script of a web page, or an HTTP client
 * that neither looks like a browser nor like a scanner.
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
