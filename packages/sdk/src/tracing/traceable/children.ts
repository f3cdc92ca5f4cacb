import type { RunTree } from '../run-tree.ts'
import { waitAtMost } from '../wait-at-most.ts'

/** Promises for the ends of child runs, stored on the parent. LangChain uses the same symbol. */
const CHILD_ENDS = Symbol.for('lc:child_run_end_promises')

/** Maximum wait of an ended run for its running children and for promises in its result: an unread stream never ends. */
export const MAX_WAIT_MS = 10_000

type Parent = RunTree & { [CHILD_ENDS]?: Promise<unknown>[] }

/**
 * Registers a started child with its parent.
 *
 * @returns a function to call when the child has ended
 */
export function registerChild(parent: RunTree | undefined): () => void {
  if (!parent) return () => {}
  const ends = getChildEnds(parent)
  let settle = () => {}
  const end = new Promise<void>((resolve) => {
    settle = resolve
  })
  ends.push(end)
  return () => {
    settle()
    // Only running children are kept: a parent may live for days and have a million children.
    const index = ends.indexOf(end)
    if (index >= 0) ends.splice(index, 1)
  }
}

/** Resolves when every child has ended, or after `MAX_WAIT_MS`; `undefined` when none is running. */
export function waitForChildren(runTree: RunTree): Promise<void> | undefined {
  const ends = (runTree as Parent)[CHILD_ENDS] ?? []
  return ends.length === 0 ? undefined : waitAtMost(MAX_WAIT_MS, Promise.allSettled(ends))
}

function getChildEnds(parent: Parent): Promise<unknown>[] {
  const existing = parent[CHILD_ENDS]
  if (existing) return existing
  const ends: Promise<unknown>[] = []
  Object.defineProperty(parent, CHILD_ENDS, { value: ends, configurable: true, writable: true })
  return ends
}
