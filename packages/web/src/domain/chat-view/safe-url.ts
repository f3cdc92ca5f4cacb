/** The URL if traced content may link to it (http, https, mailto), else the empty string: the link becomes text. */
export function safeUrl(url: string): string {
  try {
    return /^(https?|mailto):$/.test(new URL(url).protocol) ? url : ''
  } catch {
    return ''
  }
}

const SHOWN_AT_ONCE = /^data:(image\/(png|jpe?g|gif|webp|avif|svg\+xml)|audio\/[\w.+-]+|video\/[\w.+-]+)[;,]/i

/** Whether a medium can be shown without asking anyone: it is all in the URL, and of a kind that cannot act. */
export function isInlineMedia(url: string): boolean {
  return SHOWN_AT_ONCE.test(url)
}

/** Host to name before something is fetched from it. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return ''
  }
}
