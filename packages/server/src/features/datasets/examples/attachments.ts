import type { StoredAttachment } from '../../attachments/index.ts'
import type { AttachmentOperations } from './change.ts'

/**
 * The attachments of an example after an update. Without operations and new ones they stay; new ones alone take the
 * place of all. With operations those stay that are retained or renamed, and a new one wins over a kept one of its name.
 *
 * @returns a sentence when the operations contradict each other
 */
export function nextAttachments(
  before: readonly StoredAttachment[],
  added: readonly StoredAttachment[] | undefined,
  operations: AttachmentOperations | null | undefined,
): StoredAttachment[] | { readonly wrong: string } {
  if (operations == null) return added === undefined ? [...before] : byName(added)
  const retained = new Set(operations.retain ?? [])
  const renamed = new Map(Object.entries(operations.rename ?? {}))
  const wrong = contradiction(retained, renamed)
  if (wrong !== undefined) return { wrong }
  const kept = before.flatMap((one) => {
    const name = renamed.get(one.name)
    if (name !== undefined) return [{ ...one, name }]
    return retained.has(one.name) ? [one] : []
  })
  return byName([...kept, ...(added ?? [])])
}

/** Each name once; of two, the later. */
export function byName(attachments: readonly StoredAttachment[]): StoredAttachment[] {
  return [...new Map(attachments.map((one) => [one.name, one])).values()]
}

function contradiction(retained: ReadonlySet<string>, renamed: ReadonlyMap<string, string>): string | undefined {
  const taken = new Set(retained)
  for (const [from, to] of renamed) {
    if (retained.has(from)) return `both retains and renames ${from}`
    if (taken.has(to)) return `renames ${from} to ${to}, a name that is taken`
    taken.add(to)
  }
  return undefined
}
