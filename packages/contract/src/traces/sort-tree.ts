/** The position of a run in its trace. */
export interface TreeNode {
  readonly id: string
  readonly parent_run_id?: string | null | undefined
}

/**
 * Puts each run after its parent and before the siblings that follow, depth first; siblings keep the given order. Runs whose
 * parent is not given follow the runs without a parent; a ring of parents is cut at its first run. Every run appears once.
 */
export function sortTree<Run extends TreeNode>(runs: readonly Run[]): Run[] {
  const indexOf = new Map(runs.map(({ id }, index) => [id, index]))
  const children = new Map<number, number[]>()
  const [tops, orphans]: [number[], number[]] = [[], []]
  for (const [index, { parent_run_id: parent }] of runs.entries()) {
    const above = parent == null ? undefined : indexOf.get(parent)
    if (above === undefined) {
      ;(parent == null ? tops : orphans).push(index)
      continue
    }
    const siblings = children.get(above)
    if (siblings === undefined) children.set(above, [index])
    else siblings.push(index)
  }
  const sorted: Run[] = []
  const placed = new Uint8Array(runs.length)
  for (const top of [...tops, ...orphans, ...runs.keys()]) {
    const stack = [top]
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (placed[index] === 1) continue
      placed[index] = 1
      sorted.push(runs[index]!)
      for (const child of (children.get(index) ?? []).toReversed()) stack.push(child)
    }
  }
  return sorted
}
