import { createStore } from './store.ts'

/* Whose drafts are kept. Every page sets it; what reads and writes drafts is loaded with editors. */

const PREFIX = 'touchstone.draft '

interface Owner {
  readonly userId: string
  readonly workspaceId: string
}

/** Whose drafts are read and written; undefined until it is known, and then nothing is kept. */
const owner = createStore<string | undefined>(() => undefined)

export const draftOwner: Pick<typeof owner, 'read' | 'subscribe'> = owner

/** Sets whose drafts are kept from now on, and drops those of other users. */
export function setDraftOwner({ userId, workspaceId }: Owner): void {
  const mine = `${PREFIX}${userId} `
  for (const key of listDraftKeys()) if (!key.startsWith(mine)) sessionStorage.removeItem(key)
  const next = `${userId} ${workspaceId}`
  if (owner.read() !== next) owner.write(next)
}

/** Drops all drafts, when the user signs out. */
export function dropKeptDrafts(): void {
  owner.write(undefined)
  for (const key of listDraftKeys()) sessionStorage.removeItem(key)
}

/** @returns where a draft of the owner is kept; undefined without an owner */
export function toDraftKey(name: string): string | undefined {
  const id = owner.read()
  return id === undefined ? undefined : `${PREFIX}${id} ${name}`
}

/** Where drafts are kept, of any owner. */
export function listDraftKeys(): string[] {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX))
  } catch {
    return [] // the storage is blocked
  }
}
