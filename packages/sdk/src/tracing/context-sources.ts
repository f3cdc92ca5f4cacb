import { setInnerContext } from './context.ts'
import type { RunTree } from './run-tree.ts'

const sources = new Set<() => RunTree | undefined>()

/**
 * Adds a library that has an async context of its own. Its current run is the current one where it is inside of the run of
 * this package's context.
 *
 * @returns a function that removes it
 */
export function addContextSource(find: () => RunTree | undefined): () => void {
  sources.add(find)
  // Only programs that use such a library load this module.
  setInnerContext(findInnerRun)
  return () => void sources.delete(find)
}

function findInnerRun(own: RunTree | undefined): RunTree | undefined {
  let current = own
  for (const find of sources) {
    const found = find()
    if (found && isInside(found, current)) current = found
  }
  return current
}

function isInside(run: RunTree, outer: RunTree | undefined): boolean {
  return outer === undefined || run.dotted_order.startsWith(`${outer.dotted_order}.`)
}
