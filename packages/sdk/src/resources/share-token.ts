import { isUuid } from '../ids/uuid.ts'

/**
 * The share token of a public page, which is the last but one of its path, or the token itself.
 *
 * @param otherwise what is said of anything else, before the thing itself
 */
export function tokenOf(tokenOrPage: string, otherwise = 'Invalid UUID'): string {
  const path = tokenOrPage.replace(/[?#].*$/s, '').split('/')
  const token = [tokenOrPage, path.at(-2)].find(isUuid)
  if (token !== undefined) return token
  throw new Error(`${otherwise}: ${tokenOrPage}`)
}
