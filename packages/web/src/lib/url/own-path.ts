/** Returns the path to open after sign-in. URLs of other sites are replaced by `/`, to prevent open redirects. */
export function toOwnPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/'
}
