import type { Import } from './find-imports.ts'

/** Returns groups of files that import each other when the program runs, each sorted; imports of types alone do not count. */
export function findCycles(imports: readonly Import[]): string[][] {
  const edges = new Map<string, string[]>()
  for (const { file, target, isType, isDynamic } of imports) {
    if (target === undefined || isType || isDynamic) continue
    edges.set(file, [...(edges.get(file) ?? []), target])
  }
  return findComponents(edges).filter(({ length }) => length > 1)
}

/** Tarjan's strongly connected components. */
function findComponents(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const stack: string[] = []
  const components: string[][] = []
  const visit = (file: string): number => {
    const index = order.size
    let lowest = index
    order.set(file, index)
    stack.push(file)
    for (const target of edges.get(file) ?? []) {
      if (!order.has(target)) lowest = Math.min(lowest, visit(target))
      else if (stack.includes(target)) lowest = Math.min(lowest, order.get(target) ?? lowest)
    }
    if (lowest === index) components.push(stack.splice(stack.indexOf(file)).sort())
    return lowest
  }
  for (const file of edges.keys()) if (!order.has(file)) visit(file)
  return components
}
