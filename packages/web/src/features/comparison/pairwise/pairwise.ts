import { type Agreement, measureKappa } from '@touchstone/contract/kappa'
import type { Feedback } from '@touchstone/sdk'
import { type ComparedExperiment, type ComparisonCells, getRunsOfExample } from '../logic/comparison.ts'

export type Preference = 'a' | 'b' | 'tie'

/** What some raters together prefer in one pair under one key. */
export interface PairVerdict {
  readonly preference: Preference
  /** Mean scores of both sides. */
  readonly a: number
  readonly b: number
}

/** The verdicts on one pair under one key. */
export interface KeyVerdicts {
  /** Of all records together, as the server counts. */
  readonly all: PairVerdict | undefined
  /** Of programs. */
  readonly judges: PairVerdict | undefined
  /** What most people prefer; a tie when as many prefer A as B. */
  readonly people: Preference | undefined
  readonly voters: number
  /** The vote of the reader. */
  readonly mine: Preference | undefined
}

/** Two answers to the same example. */
export interface PairRow {
  readonly exampleId: string
  /** Ids of the runs, the first repetition of each side. */
  readonly runA: string
  readonly runB: string
  readonly verdicts: ReadonlyMap<string, KeyVerdicts>
  /** Feedback on the runs of both sides, newest first. */
  readonly records: readonly Feedback[]
}

export interface Pairs {
  readonly rows: readonly PairRow[]
  /** Feedback keys of the comparison, the most used first. */
  readonly keys: readonly string[]
  /** Examples that only one of the sides answered. */
  readonly unpaired: number
}

/** The filters of a list of pairs. */
export const PAIR_FILTERS = ['a', 'b', 'tie', 'close', 'disagree', 'people'] as const
export type PairFilter = (typeof PAIR_FILTERS)[number]

export function readPairFilter(text: string | undefined): PairFilter | undefined {
  return PAIR_FILTERS.find((filter) => filter === text)
}

/** The ids of the two sides: those of the URL, otherwise the first two experiments of the comparison. */
export function chooseSides(
  selected: readonly string[],
  experiments: readonly { readonly id: string }[],
): { a: string | undefined; b: string | undefined } {
  const [a, b] = selected.length >= 2 ? selected : experiments.map(({ id }) => id)
  return { a, b }
}

/** The word on the order in which judges read the answers, as far as the comparison records it. */
export function describeOrder(extra: unknown): string {
  const metadata = (extra as { metadata?: { randomize_order?: unknown } | null } | null | undefined)?.metadata
  if (metadata?.randomize_order === true) return 'Order randomized'
  return metadata?.randomize_order === false ? 'Order not randomized' : 'Order not recorded'
}

/**
 * Puts the feedback of a comparison on the pairs that it is about.
 *
 * @param a  index of the experiment A, likewise `b`
 * @param readerId  id of the reader as author of feedback; null on a server without accounts
 */
export function toPairs(
  cells: ComparisonCells,
  { a, b }: { a: number; b: number },
  records: readonly Feedback[],
  readerId: string | null,
): Pairs {
  const [sideA, sideB] = [cells.experiments[a], cells.experiments[b]]
  if (sideA === undefined || sideB === undefined) return { rows: [], keys: [], unpaired: 0 }
  const byRun = groupBy(records, ({ run_id }) => run_id)
  const isLowerBetter = new Set(cells.keys.flatMap(({ key, isLowerBetter }) => (isLowerBetter ? [key] : [])))
  const rows: PairRow[] = []
  let unpaired = 0
  cells.exampleIds.forEach((exampleId, at) => {
    const [runsA, runsB] = [listRunIds(sideA, at), listRunIds(sideB, at)]
    const [runA, runB] = [runsA[0], runsB[0]]
    if (runA === undefined || runB === undefined) unpaired += runA === runB ? 0 : 1
    else {
      const onA = runsA.flatMap((id) => byRun.get(id) ?? [])
      const onB = runsB.flatMap((id) => byRun.get(id) ?? [])
      const verdicts = judgePair(onA, onB, isLowerBetter, readerId)
      rows.push({ exampleId, runA, runB, verdicts, records: [...onA, ...onB] })
    }
  })
  return { rows, keys: countKeys(records), unpaired }
}

function listRunIds(experiment: ComparedExperiment, example: number): string[] {
  return [...getRunsOfExample(experiment, example)].flatMap((run) => experiment.runs.id[run] ?? [])
}

function countKeys(records: readonly Feedback[]): string[] {
  const scored = records.filter(({ score }) => typeof score === 'number')
  return [...groupBy(scored, ({ key }) => key)]
    .sort(([a, ones], [b, others]) => others.length - ones.length || (a < b ? -1 : 1))
    .map(([key]) => key)
}

function groupBy<Key>(records: readonly Feedback[], getKey: (record: Feedback) => Key): Map<Key, Feedback[]> {
  const groups = new Map<Key, Feedback[]>()
  for (const record of records) {
    const key = getKey(record)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return groups
}

function judgePair(
  onA: readonly Feedback[],
  onB: readonly Feedback[],
  isLowerBetter: ReadonlySet<string>,
  readerId: string | null,
): ReadonlyMap<string, KeyVerdicts> {
  const keys = new Set([...onA, ...onB].map(({ key }) => key))
  return new Map(
    [...keys].flatMap((key) => {
      const isKey = (record: Feedback) => record.key === key
      const verdicts = judgeKey(onA.filter(isKey), onB.filter(isKey), isLowerBetter.has(key), readerId)
      return verdicts.all === undefined ? [] : [[key, verdicts] as const]
    }),
  )
}

function judgeKey(
  onA: readonly Feedback[],
  onB: readonly Feedback[],
  isLowerBetter: boolean,
  readerId: string | null,
): KeyVerdicts {
  const verdictOf = (by: (record: Feedback) => boolean) => compareSides(onA.filter(by), onB.filter(by), isLowerBetter)
  const people = new Set([...onA, ...onB].filter(isFromPerson).map(getAuthorId))
  const votes = [...people].flatMap((id) => {
    const vote = verdictOf((record) => isFromPerson(record) && getAuthorId(record) === id)
    return vote === undefined ? [] : [{ id, preference: vote.preference }]
  })
  return {
    all: verdictOf(() => true),
    judges: verdictOf((record) => !isFromPerson(record)),
    people: votes.length === 0 ? undefined : findMajority(votes.map(({ preference }) => preference)),
    voters: votes.length,
    mine: votes.find(({ id }) => id === readerId)?.preference,
  }
}

export const isFromPerson = ({ feedback_source: source }: Feedback) => source?.type === 'app'

/** Id of the author of a person's feedback; null on a server without accounts. */
export const getAuthorId = ({ feedback_source: source }: Feedback): string | null =>
  (source as { user_id?: string | null } | null | undefined)?.user_id ?? null

function compareSides(
  onA: readonly Feedback[],
  onB: readonly Feedback[],
  isLowerBetter: boolean,
): PairVerdict | undefined {
  const [a, b] = [getMean(onA), getMean(onB)]
  if (a === undefined || b === undefined) return undefined
  const preference = a === b ? 'tie' : a > b !== isLowerBetter ? 'a' : 'b'
  return { preference, a, b }
}

function getMean(records: readonly Feedback[]): number | undefined {
  const scores = records.flatMap(({ score }) => (typeof score === 'number' ? [score] : []))
  return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length
}

function findMajority(preferences: readonly Preference[]): Preference {
  const count = (wanted: Preference) => preferences.filter((one) => one === wanted).length
  const [a, b, tie] = [count('a'), count('b'), count('tie')]
  if (a > b && a > tie) return 'a'
  return b > a && b > tie ? 'b' : 'tie'
}

/** Wins of both sides and ties under a key. */
export function countPreferences(rows: readonly PairRow[], key: string): Readonly<Record<Preference, number>> {
  const counts = { a: 0, b: 0, tie: 0 }
  for (const { verdicts } of rows) {
    const verdict = verdicts.get(key)?.all
    if (verdict) counts[verdict.preference]++
  }
  return counts
}

/** Largest margin of a close pair: the difference of both mean scores over the range of all of them. */
export const LOW_MARGIN = 0.2

/** The rows whose sides score almost the same under a key. Ties are among them. */
function filterClose(rows: readonly PairRow[], key: string | undefined): readonly PairRow[] {
  const found = rows.flatMap((row) => {
    const verdict = key === undefined ? undefined : row.verdicts.get(key)?.all
    return verdict === undefined ? [] : [{ row, verdict }]
  })
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { verdict } of found) {
    low = Math.min(low, verdict.a, verdict.b)
    high = Math.max(high, verdict.a, verdict.b)
  }
  // The small addition keeps 0.6 to 0.4 among the close pairs despite rounding.
  const most = (high - low) * (LOW_MARGIN + 1e-9)
  return found.flatMap(({ row, verdict }) => (Math.abs(verdict.a - verdict.b) <= most ? [row] : []))
}

/**
 * The rows that a filter keeps. `close`: both sides score almost the same; `disagree`: keys prefer different sides;
 * `people`: people differ from the judges.
 */
export function filterPairs(
  rows: readonly PairRow[],
  filter: PairFilter | undefined,
  key: string | undefined,
): readonly PairRow[] {
  if (filter === undefined) return rows
  if (filter === 'close') return filterClose(rows, key)
  return rows.filter(({ verdicts }) => {
    if (filter === 'disagree') {
      const preferences = new Set([...verdicts.values()].map(({ all }) => all?.preference))
      return preferences.has('a') && preferences.has('b')
    }
    const found = key === undefined ? undefined : verdicts.get(key)
    if (filter !== 'people') return found?.all?.preference === filter
    return found?.people !== undefined && found.judges !== undefined && found.people !== found.judges.preference
  })
}

/** How far people agree with the judges, over the pairs that both judged under a key. */
export function measureAgreement(rows: readonly PairRow[], key: string): Agreement | undefined {
  return measureKappa(
    rows.flatMap(({ verdicts }) => {
      const { people, judges } = verdicts.get(key) ?? {}
      return people === undefined || judges === undefined ? [] : [[judges.preference, people] as const]
    }),
  )
}

/**
 * Two-sided p value of the exact sign test: the probability of a split at least as uneven as this one, if both sides win
 * with the same probability. Ties are not counted. Undefined without a decided pair.
 */
export function signTest(wins: number, losses: number): number | undefined {
  const decided = wins + losses
  if (decided === 0) return undefined
  const fewer = Math.min(wins, losses)
  // Terms of the binomial distribution as logarithms, because 2^n overflows beyond a thousand pairs.
  let logTerm = -decided * Math.LN2
  let tail = Math.exp(logTerm)
  for (let at = 1; at <= fewer; at++) {
    logTerm += Math.log((decided - at + 1) / at)
    tail += Math.exp(logTerm)
  }
  return Math.min(1, 2 * tail)
}
