import type { Comparison, Filter, FilterScalar } from '@touchstone/contract'
import {
  COMMENTS,
  DATASETS,
  FEEDBACK_KEYS,
  FILES,
  KEYS,
  LABELS,
  NAMES,
  type OracleRun,
  type Random,
  RUN_TYPES,
  SCALARS,
  SOURCES,
  TAGS,
  TEXTS,
  WORDS,
} from './random-runs.ts'

/** A filter that a user might write, and many that none would. */
export function randomFilter(random: Random, runs: readonly OracleRun[], depth = 3): Filter {
  if (depth > 0 && random.chance(0.45)) {
    const args = Array.from({ length: 1 + random.below(4) }, () => randomFilter(random, runs, depth - 1))
    const op = random.pick(['and', 'and', 'or', 'not'] as const)
    return { op, args: op === 'not' ? args.slice(0, 1) : args }
  }
  // Clauses of one family, side by side, so that they bind.
  if (depth > 0 && random.chance(0.4)) return randomPair(random)
  const clause = random.pick(CLAUSES)(random, runs)
  return 'args' in clause || clause.field === undefined ? clause : withOddList(random, clause)
}

/** Now and then a list without values, with a value twice, with null, or with more values than anybody would write. */
function withOddList(random: Random, clause: Comparison): Comparison {
  if (!Array.isArray(clause.value)) return clause
  const list: readonly FilterScalar[] = clause.value
  if (random.chance(0.03)) {
    const many = Array.from({ length: 1_000 }, (_, at) => oddLike(list[0] ?? null, at))
    return { ...clause, value: [...many, ...list] }
  }
  const value = random.pick([list, list, [], [...list, ...list], [...list, null], [null]])
  return { ...clause, value }
}

/** A value of the same type that no run has. */
function oddLike(value: FilterScalar, at: number): FilterScalar {
  if (typeof value === 'number') return 2 ** 53 + at * 1e290
  if (typeof value !== 'string') return value
  return /^[\da-f]{8}-/.test(value) ? `${value.slice(0, -12)}${String(at).padStart(12, 'f')}` : `no ' "\\ ${at}`
}

type Make = (random: Random, runs: readonly OracleRun[]) => Filter

const EQUAL = ['eq', 'neq'] as const
const LIST = ['in', 'nin'] as const
const LIKE = ['like', 'notlike', 'search'] as const
const ORDER = ['gt', 'gte', 'lt', 'lte'] as const

function onText(field: string, texts: readonly string[], nullable = false): Make {
  return (random) => {
    const kind = random.below(nullable ? 4 : 3)
    if (kind === 0) return { op: random.pick(EQUAL), field, value: random.pick(texts) }
    if (kind === 1) return { op: random.pick(LIST), field, value: random.some(texts, 3) }
    if (kind === 2) return like(random, field, texts)
    return { op: random.pick(EQUAL), field, value: null }
  }
}

function like(random: Random, field: string, texts: readonly string[]): Comparison {
  const text = random.pick(texts)
  const part = text.slice(random.below(text.length), 1 + random.below(text.length + 1))
  const op = random.pick(LIKE)
  if (op === 'search') return { op, field, value: part || 'x' }
  return { op, field, value: random.pick([text, text.toUpperCase(), `%${part}%`, `${part}%`, `%${part}`, '%', '']) }
}

function onNumber(field: string, of: (random: Random) => number): Make {
  return (random) => {
    if (random.chance(0.2)) return { op: random.pick(EQUAL), field, value: null }
    if (random.chance(0.2)) return { op: random.pick(LIST), field, value: [of(random), of(random)] }
    return { op: random.pick([...EQUAL, ...ORDER]), field, value: of(random) }
  }
}

const scalar = (random: Random): FilterScalar => random.pick([...SCALARS, ...TEXTS.slice(0, 6)])
const text = (random: Random): string => String(random.pick([...TEXTS, 'u1', 'u2', '3', 'good']))

function onPath(random: Random): Comparison {
  const field = `${random.pick(['metadata', 'inputs', 'outputs'])}.${random.pick([...KEYS, 'messages', 'messages.content', 'content.user_id'])}`
  if (random.chance(0.2)) return { op: random.pick(LIKE.slice(0, 2)), field, value: `%${random.pick(WORDS)}%` }
  if (random.chance(0.2)) return { op: random.pick(ORDER), field, value: random.pick([3, 4, '3', 'u1']) }
  return { op: random.pick(EQUAL), field, value: scalar(random) }
}

function onValue(random: Random, field: string): Comparison {
  const kind = random.below(4)
  if (kind === 0) return { op: random.pick(LIST), field, value: [scalar(random), scalar(random)] }
  if (kind === 1) return { op: random.pick(ORDER), field, value: random.pick([3, 4, '3', 'u1', 'refund please']) }
  if (kind === 2) return like(random, field, TEXTS)
  return { op: random.pick(EQUAL), field, value: scalar(random) }
}

const PAYLOAD_KEYS = [...KEYS, 'messages', 'content', 'messages.content', 'messages.a.b', 'deep.user_id']

/** Clauses on one family in one `and`, at most one of them on a key by equality. */
function randomPair(random: Random): Filter {
  const family = random.pick(['metadata', 'input', 'output', 'feedback'])
  const keys = family === 'feedback' ? FEEDBACK_KEYS : PAYLOAD_KEYS
  const field = `${family}_key`
  const key: Comparison = random.pick([
    { op: 'eq', field, value: random.pick(keys) },
    { op: 'neq', field, value: random.pick(keys) },
    { op: 'in', field, value: [random.pick(keys), random.pick(keys)] },
    { op: 'nin', field, value: [random.pick(keys)] },
    { op: 'like', field, value: `%${random.pick(keys).slice(0, 4)}%` },
    { op: 'notlike', field, value: `${random.pick(keys).slice(0, 2)}%` },
    { op: random.pick(EQUAL), field, value: null },
  ])
  const values = Array.from({ length: random.below(3) }, () =>
    family === 'feedback' ? feedbackValue(random) : onValue(random, `${family}_value`),
  )
  return { op: 'and', args: random.chance(0.8) ? [key, ...values] : values.length > 0 ? values : [key] }
}

function feedbackValue(random: Random): Comparison {
  return random.pick([
    onNumber('feedback_score', (of) => of.below(5) / 2),
    onText('feedback_value', LABELS, true),
    onText('feedback_comment', COMMENTS, true),
    onText('feedback_source', SOURCES),
    (of: Random): Filter => ({ op: of.pick(EQUAL), field: 'feedback_error', value: of.chance(0.5) }),
  ])(random, []) as Comparison
}

const CLAUSES: readonly Make[] = [
  onText('name', NAMES),
  onText('run_type', RUN_TYPES),
  onText('status', ['success', 'error', 'pending']),
  onText('error', TEXTS.filter(Boolean), true),
  onText('tags', TAGS, true),
  (random) => ({ op: 'has', field: 'tags', value: random.pick(TAGS) }),
  onText('attachments', FILES, true),
  (random) => ({ op: 'has', field: 'attachments', value: random.pick(FILES) }),
  (random) => ({ op: random.pick(EQUAL), field: 'in_dataset', value: random.chance(0.5) }),
  (random) => ({
    op: random.pick(EQUAL),
    field: 'reference_dataset_id',
    value: random.pick([...DATASETS.keys(), null]),
  }),
  (random) => ({ op: random.pick(LIST), field: 'reference_dataset_id', value: random.some([...DATASETS.keys()], 2) }),
  (random, runs) => ({
    op: random.pick(EQUAL),
    field: random.pick(['id', 'trace_id', 'parent_run_id']),
    value: random.pick(runs).id,
  }),
  (random, runs) => ({
    op: random.pick(LIST),
    field: 'trace_id',
    value: random.some(runs, 3).map((run) => run.trace_id),
  }),
  (random) => ({
    op: random.pick(EQUAL),
    field: random.pick(['parent_run_id', 'end_time', 'outputs', 'metadata']),
    value: null,
  }),
  (random) => ({ op: random.pick(EQUAL), field: 'is_root', value: random.chance(0.5) }),
  (random, runs) => ({
    op: random.pick(ORDER),
    field: random.pick(['start_time', 'end_time']),
    value: new Date(random.pick(runs).start).toISOString().replace('Z', '000Z'),
  }),
  onNumber('latency', (random) => random.below(8) / 2),
  onNumber('total_tokens', (random) => random.below(10) * 10),
  onNumber('total_cost', (random) => random.below(9) / 4),
  (random) => ({
    op: random.pick(LIKE),
    field: random.pick(['inputs', 'outputs']),
    value: random.pick(['%"user_id":%', '%refund%', '%order 42%', '{%}', 'content', '%:3%', '%é%']),
  }),
  (random) => ({
    op: 'search',
    value: random.some(WORDS, 2).join(' ') || random.pick(['café', '“refund”', 'b', 'caf', 'true']),
  }),
  (random) => ({
    op: 'exists',
    field: random.pick(['metadata', 'inputs', 'outputs']),
    value: random.pick(PAYLOAD_KEYS),
  }),
  (random) => ({
    op: 'has',
    field: random.pick(['metadata', 'inputs', 'outputs']),
    value: JSON.stringify(
      random.pick([
        { [random.pick(KEYS)]: random.pick(SCALARS) },
        { deep: { user_id: random.pick(SCALARS) } },
        { messages: [random.pick(SCALARS)] },
        { messages: {} },
        { user_id: text(random) },
      ]),
    ),
  }),
  onPath,
  (random) => onValue(random, random.pick(['metadata_value', 'input_value', 'output_value'])),
  feedbackValue,
  randomPair,
]
