import { uuid7 } from '@touchstone/contract'

/** A random number generator that gives the same numbers for the same seed. */
export function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (share: number) => next() < share,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
    some: <Item>(items: readonly Item[], most: number): Item[] =>
      Array.from({ length: below(most + 1) }, () => items[below(items.length)]!),
  }
}
export type Random = ReturnType<typeof createRandom>

export interface OracleFeedback {
  readonly key: string
  readonly score?: number
  readonly value?: string
  readonly comment?: string
  readonly feedback_source: { readonly type: string }
  readonly error?: boolean
}

export interface OracleRun {
  readonly id: string
  readonly trace_id: string
  readonly parent_run_id: string | null
  readonly dotted_order: string
  readonly name: string
  readonly run_type: string
  readonly start: number
  readonly end: number | null
  readonly error: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, unknown>> | null
  readonly tokens: number | null
  readonly cost: number | null
  readonly feedback: readonly OracleFeedback[]
  readonly reference_example_id: string | null
  /** Names. */
  readonly attachments: readonly string[]
  /** Whether an example is made of it. */
  readonly in_dataset: boolean
}

/** Dataset → its examples; runs refer to these and to one that no dataset has. */
export const DATASETS: ReadonlyMap<string, readonly string[]> = new Map(
  [1, 2].map((dataset) => [toUuid(dataset), [1, 2, 3].map((example) => toUuid(10 * dataset + example))]),
)
const REFERENCES = [...[...DATASETS.values()].flat(), toUuid(99)]

function toUuid(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
}

export const NAMES = ['alpha', 'Alpha two', 'beta_1', 'beta-1', 'gamma']
export const RUN_TYPES = ['chain', 'llm', 'tool', 'retriever']
export const WORDS = ['refund', 'please', 'order', '42', 'x', 'Reason']
export const TEXTS = [
  'refund please',
  'Order 42',
  'reason: "order"\nrefund',
  '“refund” — now',
  'C:\\temp\\x',
  'café',
  'a_b%c',
  '',
  '42',
  'it\'s </x> {"order": 1}',
]
export const TAGS = ['prod', 'beta', 'Beta two', 'x_1']
export const KEYS = ['user_id', 'retries', 'env', 'a.b', 'deep']
export const SCALARS: readonly (string | number | boolean | null)[] = [
  'u1',
  'u2',
  '3',
  3,
  4.5,
  -1,
  true,
  false,
  null,
  'true',
  'refund please',
]
export const FEEDBACK_KEYS = ['correct', 'tone', 'stars']
export const LABELS = ['good', 'bad', 'halted']
export const COMMENTS = ['very good', 'Bad_one', 'ok']
export const SOURCES = ['api', 'app', 'model']
export const FILES = ['shot.png', 'Voice note', 'log_1']

const START = Date.UTC(2025, 0, 1)

/** Traces of one to six runs each, with everything that a filter may ask for. */
export function randomRuns(random: Random, count: number): OracleRun[] {
  const runs: OracleRun[] = []
  while (runs.length < count) {
    const trace: OracleRun[] = []
    const size = 1 + random.below(6)
    for (let at = 0; at < size; at++) {
      const parent = at === 0 ? null : random.pick(trace)
      const run = randomRun(random, START + (runs.length + at) * 1000, parent)
      trace.push(run)
    }
    runs.push(...trace)
  }
  return runs
}

function randomRun(random: Random, start: number, parent: OracleRun | null): OracleRun {
  const id = uuid7(start)
  const segment = `${new Date(start).toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`
  const runType = random.pick(RUN_TYPES)
  // Usage is read from llm runs alone.
  const hasUsage = runType === 'llm' && random.chance(0.8)
  const hasEnded = random.chance(0.9)
  return {
    id,
    trace_id: parent?.trace_id ?? id,
    parent_run_id: parent?.id ?? null,
    dotted_order: parent === null ? segment : `${parent.dotted_order}.${segment}`,
    name: random.pick(NAMES),
    run_type: runType,
    start,
    end: hasEnded ? start + random.below(8) * 500 : null,
    error: random.chance(0.2) ? random.pick(TEXTS.filter(Boolean)) : null,
    tags: [...new Set(random.some(TAGS, 3))],
    metadata: Object.fromEntries(
      random.some(KEYS, 3).map((key) => [key, key === 'deep' ? randomTree(random, 2) : random.pick(SCALARS)]),
    ),
    inputs: randomObject(random, 3),
    outputs: random.chance(0.8) ? randomObject(random, 3) : null,
    tokens: hasUsage ? random.below(5) * 10 : null,
    cost: hasUsage && random.chance(0.5) ? random.below(5) / 4 : null,
    feedback: Array.from({ length: random.chance(0.5) ? random.below(4) : 0 }, () => ({
      key: random.pick(FEEDBACK_KEYS),
      ...(random.chance(0.7) && { score: random.below(5) / 2 }),
      ...(random.chance(0.4) && { value: random.pick(LABELS) }),
      ...(random.chance(0.3) && { comment: random.pick(COMMENTS) }),
      feedback_source: { type: random.pick(SOURCES) },
      ...(random.chance(0.2) && { error: true }),
    })),
    reference_example_id: random.chance(0.4) ? random.pick(REFERENCES) : null,
    attachments: random.chance(0.2) ? [...new Set(random.some(FILES, 3))] : [],
    in_dataset: random.chance(0.2),
  }
}

function randomObject(random: Random, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    random.some(['messages', 'content', 'user_id', 'a.b'], 3).map((key) => [key, randomTree(random, depth - 1)]),
  )
}

function randomTree(random: Random, depth: number): unknown {
  const kind = depth <= 0 ? 2 + random.below(2) : random.below(4)
  if (kind === 0) return randomObject(random, depth)
  if (kind === 1) return Array.from({ length: random.below(3) }, () => randomTree(random, depth - 1))
  return kind === 2 ? random.pick(SCALARS) : random.pick(TEXTS)
}
