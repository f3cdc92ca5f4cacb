import { Placement } from './placement.ts'
import { RunIds } from './run-ids.ts'
import type { KnownRun, PlacedRun, PlacedTrace, RenamedRun, TraceFacts } from './trace-facts.ts'
import { type Node, toKnownNode, toSpanNode } from './trace-nodes.ts'

/**
 * Finds the position of each span among the runs of its trace that have arrived so far. The result depends on the set of runs and
 * on their root, and not on the order in which the others arrived; known runs whose position changes are returned too.
 *
 * The root has the id of the trace; of several spans without a parent, the earliest of those that came first is the root, and
 * the others hang under it: stored runs stay where they are, whatever starts before them. A run whose parent has not arrived
 * hangs under the root too. In the dotted order of these runs a segment with the id of the missing parent, or with the nil id,
 * stands before their own: so nothing has to be remembered beside the rows. While the root is missing, a placeholder with the id
 * of the trace and the start of the earliest of these runs takes its place.
 */
export function placeTrace(facts: TraceFacts): PlacedTrace {
  const ids = new RunIds(facts)
  const nodes = new Map<string, Node>()
  const known = [...facts.known.values()].filter(({ id }) => !ids.joined.has(id)).map((run) => rename(run, ids.renamed))
  for (const run of known) nodes.set(run.id, toKnownNode(run, facts, ids))
  for (const span of facts.spans) nodes.set(ids.find(span.place), toSpanNode(span, ids))
  const { positions: placed, placeholder, anchor } = new Placement(facts, nodes).placeAll()

  const spans = new Map<string, PlacedRun>()
  const written = new Set<string>()
  for (const { place } of facts.spans) {
    const run = placed.get(ids.find(place))
    if (run === undefined) continue
    spans.set(place.spanId, run)
    written.add(run.id)
  }
  const moved = known.flatMap((run) => {
    const now = placed.get(run.id)
    if (now === undefined || written.has(run.id)) return []
    return now.dottedOrder === run.dottedOrder && now.parentRunId === run.parentRunId ? [] : [now]
  })
  const aliases = new Map([...ids.aliases, ...ids.aliasOfTrace()])
  const { renamed, joined } = ids
  return { spans, moved, placeholder, anchor, renamed, joined, aliases, findRunId: (spanId) => ids.ofSpan(spanId) }
}

const rename = (run: KnownRun, renamed: RenamedRun | undefined) =>
  run.id === renamed?.from ? { ...run, id: renamed.to } : run
