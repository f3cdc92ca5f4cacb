const NAME = 'touchstone.api-key'

/** The key this browser sends, if someone signed in here. */
export function readKey(): string | undefined {
  return localStorage.getItem(NAME) ?? undefined
}

export function writeKey(key: string | undefined): void {
  if (key === undefined) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, key)
}
