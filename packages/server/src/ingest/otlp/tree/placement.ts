import { compare, lastSegment, NO_PARENT, toDeepPath, toMissingRoot, withId } from './span-paths.ts'
import type { PlacedRun, PlacedTrace, TraceFacts } from './trace-facts.ts'
import type { Node } from './trace-nodes.ts'

/** Deeper runs get a shorter dotted order: each has one, and a chain of thousands would need gigabytes. */
const MAX_SEGMENTS = 100

interface Position extends PlacedRun {
  readonly segments: number
}

/**
 * Gives each run of a trace its position. A run is in one of these states; its dotted order and its parent tell which, so that
 * nothing is stored beside them. `A` is the dotted order of the anchor: the root, or the placeholder while it is missing.
 *
 * | state       | which runs                                  | parent      | dotted order                       | becomes                            |
 * | ----------- | ------------------------------------------- | ----------- | ---------------------------------- | ---------------------------------- |
 * | placeholder | none: it stands for the missing root        | none        | the start of the earliest child    | root, when that arrives            |
 * | root        | has the id of the trace                     | none        | its segment                        | parentless, when another is named  |
 * | child       | its parent has arrived                      | that        | that of its parent, its segment    | deep, when its parents move down   |
 * | waiting     | its parent has not arrived                  | the anchor  | `A`, the missing id, its segment   | child, when the parent arrives     |
 * | parentless  | has no parent and is not the root           | the anchor  | `A`, the nil id, its segment       | stays                              |
 * | deep        | is below `MAX_SEGMENTS` others              | its parent  | `A`, the parent's id, its segment  | child, when its parents move up    |
 * | pinned      | an SDK made its path; its parent is missing | as sent     | as sent                            | child, when the parent arrives     |
 *
 * When the anchor moves, all runs below it follow in their states. The earliest run of a circle of parents is parentless.
 */
export class Placement {
  private readonly positions = new Map<string, Position>()
  /** The run under which those without a parent hang. */
  private anchor: Position | undefined
  private placeholder: Position | undefined

  private readonly traceId: string

  constructor(
    private readonly facts: TraceFacts,
    private readonly nodes: Map<string, Node>,
  ) {
    this.traceId = facts.traceId
  }

  placeAll(): { positions: ReadonlyMap<string, PlacedRun> } & Pick<PlacedTrace, 'placeholder' | 'anchor'> {
    this.cutCycles()
    const root = this.nodes.get(this.traceId)
    if (root !== undefined) this.anchor = this.placeRoot(root)
    else {
      const { placeholder } = this.facts
      const orphans = [...this.nodes.values()].filter((node) => this.isOrphan(node)).map(({ segment }) => segment)
      const stored = placeholder === undefined ? [] : [lastSegment(placeholder.dottedOrder)]
      const [first] = [...orphans, ...stored].sort(compare)
      if (first !== undefined) this.placeholder = this.toPlaceholder(first)
      this.anchor = this.placeholder
    }
    for (const node of this.nodes.values()) this.place(node)
    return { positions: this.positions, placeholder: this.placeholder, anchor: this.anchor }
  }

  private isOrphan({ id, link, pinned }: Node): boolean {
    return pinned === undefined && id !== this.traceId && (link === undefined || !this.nodes.has(link))
  }

  /** Runs that are their own ancestors have no root: the earliest of each circle loses its parent. */
  private cutCycles(): void {
    const checked = new Set<string>()
    for (const start of this.nodes.values()) {
      const way: Node[] = []
      const onWay = new Set<string>()
      let node: Node | undefined = start
      while (node !== undefined && !checked.has(node.id) && !onWay.has(node.id)) {
        way.push(node)
        onWay.add(node.id)
        node = this.parentOf(node)
      }
      if (node !== undefined && onWay.has(node.id)) {
        const circle = way.slice(way.findIndex((one) => one.id === node?.id))
        const [first] = circle.sort((a, b) => compare(a.segment, b.segment))
        if (first !== undefined) this.nodes.set(first.id, { ...first, link: undefined })
      }
      for (const id of onWay) checked.add(id)
    }
  }

  private parentOf({ id, link, pinned }: Node): Node | undefined {
    return pinned !== undefined || id === this.traceId || link === undefined ? undefined : this.nodes.get(link)
  }

  private keep(node: Node, parentRunId: string | null, dottedOrder: string, segments: number): Position {
    const position = { id: node.id, parentRunId, dottedOrder, segments }
    this.positions.set(node.id, position)
    return position
  }

  private placeRoot(node: Node): Position {
    return node.pinned === undefined
      ? this.keep(node, null, node.segment, 1)
      : this.keep(node, node.pinned.parentRunId, node.pinned.dottedOrder, 1)
  }

  private toPlaceholder(segment: string): Position {
    return { id: this.traceId, parentRunId: null, dottedOrder: withId(segment, this.traceId), segments: 1 }
  }

  private place(node: Node): void {
    const way: Node[] = []
    for (let at: Node | undefined = node; at !== undefined && !this.positions.has(at.id); at = this.parentOf(at)) {
      way.push(at)
    }
    for (const one of way.reverse()) this.placeBelow(one, this.parentOf(one))
  }

  private placeBelow(node: Node, parent: Node | undefined): void {
    const { pinned, segment, link } = node
    if (pinned !== undefined) {
      const segments = pinned.isDeep ? MAX_SEGMENTS : pinned.dottedOrder.split('.').length
      this.keep(node, pinned.parentRunId, pinned.dottedOrder, segments)
    } else if (parent === undefined) this.placeOrphan(node)
    else {
      const above = this.positions.get(parent.id)
      if (above === undefined) return
      if (above.segments < MAX_SEGMENTS || this.anchor === undefined || link === undefined) {
        this.keep(node, parent.id, `${above.dottedOrder}.${segment}`, above.segments + 1)
      } else {
        this.keep(node, parent.id, toDeepPath(this.anchor, segment, link), MAX_SEGMENTS)
      }
    }
  }

  private placeOrphan(node: Node): void {
    const { anchor, traceId } = this
    if (anchor === undefined) return
    const missing = withId(node.segment, node.link === traceId ? toMissingRoot(traceId) : (node.link ?? NO_PARENT))
    const path = `${anchor.dottedOrder}.${missing}.${node.segment}`
    this.keep(node, anchor.id, path, anchor.segments + 2)
  }
}
