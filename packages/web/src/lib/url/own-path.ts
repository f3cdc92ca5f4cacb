/** A `next` that leads elsewhere is ignored: a link must not send a fresh sign-in to another site. */
export function toOwnPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/'
}
