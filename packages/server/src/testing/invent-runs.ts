import { timeOfEpochMs, uuid7 } from '@touchstone/contract'

/** A run as it is sent, with the facts from which a test computes figures itself. */
export interface InventedRun {
  readonly sent: Readonly<Record<string, unknown>>
  readonly id: string
  readonly root: string
  readonly parent: string | undefined
  readonly project: string
  readonly name: string
  readonly runType: string
  readonly tags: readonly string[]
  readonly user: string | undefined
  readonly thread: string
  readonly startMs: number
  readonly latencyMs: number | undefined
  readonly firstTokenMs: number | undefined
  readonly failed: boolean
  /** Its usage; undefined when it reports none. */
  readonly tokens: { readonly prompt: number; readonly completion: number } | undefined
  readonly cost: number | undefined
}

/** Traces with random shapes, times, tags, metadata, errors, streams, usage and ends; identical for the same seed. */
export function inventRuns(project: string, traces: number, seed = 1): InventedRun[] {
  const random = createRandom(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const runs: InventedRun[] = []
  const begin = Date.UTC(2026, 1, 3, 4)

  function invent(parent: InventedRun | undefined, depth: number): InventedRun {
    const id = uuid7()
    const startMs = parent === undefined ? begin + Math.floor(random() * 48 * 3600e3) : parent.startMs + runs.length + 1
    const runType = parent === undefined ? pick(['chain', 'chain', 'llm']) : pick(['llm', 'tool', 'chain'])
    const latencyMs = random() < 0.9 ? Math.floor(random() * 9000) : undefined
    const tokens =
      runType === 'llm' && parent?.runType !== 'llm' && random() < 0.9
        ? { prompt: Math.floor(random() * 500), completion: Math.floor(random() * 200) }
        : undefined
    const isStream = runType === 'llm' && random() < 0.5
    const time = timeOfEpochMs(startMs)
    const segment = `${time.replace(/[-:.]/g, '')}${id}`
    const order = parent === undefined ? segment : `${parent.sent.dotted_order}.${segment}`
    const user = random() < 0.8 ? pick(['ann', 'bob', 'cyd']) : undefined
    const thread = parent?.thread ?? pick(['t1', 't2', 't3', 't4'])
    const invented = {
      id,
      root: parent?.root ?? id,
      parent: parent?.id,
      project,
      name: pick(['answer', 'plan', 'look up']),
      runType,
      tags: ['all', 'even', 'odd'].filter(() => random() < 0.5),
      user,
      thread,
      startMs,
      latencyMs,
      firstTokenMs: isStream ? Math.floor(random() * 900) : undefined,
      failed: random() < 0.2,
      tokens,
      cost: tokens && random() < 0.8 ? Math.floor(random() * 1000) / 1000 : undefined,
    }
    const run = { ...invented, sent: sentAs(invented, order) }
    runs.push(run)
    const children = depth === 0 || runType === 'llm' ? 0 : Math.floor(random() * 4)
    for (let at = 0; at < children; at++) invent(run, depth - 1)
    return run
  }

  for (let at = 0; at < traces; at++) invent(undefined, 3)
  return runs
}

function sentAs(run: Omit<InventedRun, 'sent'>, order: string): Record<string, unknown> {
  const at = (ms: number) => timeOfEpochMs(run.startMs + ms)
  return {
    id: run.id,
    trace_id: run.root,
    dotted_order: order,
    ...(run.parent && { parent_run_id: run.parent }),
    session_name: run.project,
    name: run.name,
    run_type: run.runType,
    start_time: at(0),
    ...(run.latencyMs !== undefined && { end_time: at(run.latencyMs) }),
    ...(run.failed && { error: 'it broke' }),
    tags: run.tags,
    inputs: { question: `what of ${run.id}` },
    outputs: { text: 'so', ...(run.tokens && { usage_metadata: toUsage(run) }) },
    extra: { metadata: { thread_id: run.thread, ...(run.user && { user: run.user }) } },
    ...(run.firstTokenMs !== undefined && { events: [{ name: 'new_token', time: at(run.firstTokenMs) }] }),
  }
}

function toUsage({ tokens, cost }: Pick<InventedRun, 'tokens' | 'cost'>) {
  const { prompt, completion } = tokens!
  return {
    input_tokens: prompt,
    output_tokens: completion,
    total_tokens: prompt + completion,
    ...(cost !== undefined && { total_cost: cost }),
  }
}

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The quantile of sorted values, computed like in the engine; null without values. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null
}
