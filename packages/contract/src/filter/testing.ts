import type { Filter } from './tree.ts'

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Any sound filter, nested up to four levels, with the texts that break careless printers. */
export function randomFilter(random: () => number, depth = 0): Filter {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  if (depth < 4 && random() < 0.45) {
    const op = pick(['and', 'or', 'not'] as const)
    const length = op === 'not' ? 1 : 1 + Math.floor(random() * 3)
    return { op, args: Array.from({ length }, () => randomFilter(random, depth + 1)) }
  }
  return pick<() => Filter>([
    () => ({ op: 'eq', field: pick(['name', 'error', 'metadata_key', 'input_key']), value: pick(TEXTS) }),
    () => ({ op: 'neq', field: 'error', value: null }),
    () => ({
      op: pick(['gt', 'lte']),
      field: pick(['latency', 'total_tokens', 'feedback_score']),
      value: pick(NUMBERS),
    }),
    () => ({ op: 'in', field: 'name', value: [pick(TEXTS), pick(TEXTS)] }),
    () => ({ op: 'has', field: 'tags', value: pick(TEXTS) }),
    () => ({
      op: pick(['eq', 'neq']),
      field: pick(['metadata_value', 'metadata.a.b']),
      value: pick([...TEXTS, ...NUMBERS, true, null]),
    }),
    () => ({ op: 'search', value: pick(TEXTS) }),
    () => ({ op: 'gte', field: 'start_time', value: '2026-01-02T03:04:05.678901Z' }),
    () => ({ op: 'eq', field: 'feedback_key', value: pick(TEXTS) }),
  ])()
}

const TEXTS = [
  'a',
  '',
  'two words',
  'quo"te',
  "it's",
  'back\\slash',
  'line\nbreak',
  '5',
  'and(x)',
  ', ) ( [',
  'ü 🙂',
  '2026-01-01',
]
const NUMBERS = [0, 1, -2.5, 0.001, 1e21]
