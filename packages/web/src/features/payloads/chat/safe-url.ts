/** Returns the URL if traced content may link to it (http, https, mailto), else an empty string. */
export function safeUrl(url: string): string {
  try {
    return /^(https?|mailto):$/.test(new URL(url).protocol) ? url : ''
  } catch {
    return ''
  }
}

const INLINE_MEDIA = /^data:(image\/(png|jpe?g|gif|webp|avif|svg\+xml)|audio\/[\w.+-]+|video\/[\w.+-]+)[;,]/i

/** Whether a medium is safe to show at once: the URL contains all of it, and its type cannot run code. */
export function isInlineMedia(url: string): boolean {
  return INLINE_MEDIA.test(url)
}

/** The host of a URL, shown before anything is loaded from it. */
export function parseHost(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return ''
  }
}
