import { writeChosenWorkspace } from './chosen-workspace.ts'

const NAME = 'touchstone.api-key'

/** The key this browser sends, if someone signed in here. */
export function readKey(): string | undefined {
  return localStorage.getItem(NAME) ?? undefined
}

/** Also forgets the workspace: whom the browser speaks for from now on may belong to others. */
export function writeKey(key: string | undefined): void {
  writeChosenWorkspace(undefined)
  if (key === undefined) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, key)
}
