/**
 * Threshold conditions under which an experiment fails, the same in `evaluate({ failIf })` and in the CLI's
 * `--fail-if`.
 *
 * | condition | fails when |
 * | --- | --- |
 * | `correctness.mean<0.8` | the mean score of the key is below 0.8 |
 * | `correctness.n<100` | there are fewer than 100 scores |
 * | `correctness.verdict=worse` | the experiment is significantly worse than the baseline |
 * | `correctness.difference<-0.05` | the paired difference to the baseline is below -0.05 |
 * | `error_rate>5%` | more than 5 % of the runs failed |
 */

/** Figures of the scores of one key: of the experiment itself, and of its comparison with a baseline. */
export const KEY_FIGURES = ['mean', 'n', 'stdev', 'min', 'max', 'errors'] as const
export const COMPARED_FIGURES = [
  'difference',
  'low',
  'high',
  'p',
  'wins',
  'losses',
  'ties',
  'mde',
  'pairs',
  'verdict',
] as const
/** Figures of the whole experiment; latencies in seconds, costs in US dollars. */
export const EXPERIMENT_FIGURES = [
  'error_rate',
  'run_count',
  'latency_p50',
  'latency_p99',
  'total_tokens',
  'total_cost',
] as const
export const VERDICTS = ['better', 'worse', 'no difference shown', 'not enough data'] as const

export type KeyFigure = (typeof KEY_FIGURES)[number] | (typeof COMPARED_FIGURES)[number]
export type ExperimentFigure = (typeof EXPERIMENT_FIGURES)[number]
export type Operator = '<' | '<=' | '>' | '>=' | '=' | '!='

export interface FailCondition {
  /** The original text of the condition. */
  text: string
  /** Absent for a figure of the whole experiment. */
  key: string | undefined
  figure: KeyFigure | ExperimentFigure
  operator: Operator
  value: number | string
}

/** Figures that conditions are checked against. Null and absent both mean that the figure does not exist. */
export interface GateFigures {
  experiment?: Partial<Record<ExperimentFigure, number | null | undefined>> | undefined
  feedback: Record<string, Partial<Record<KeyFigure, number | string | null | undefined>>>
}

/** A condition that made the experiment fail. */
export interface FailedGate {
  condition: string
  /** `undefined` when the figure does not exist, which fails too: an unmeasured figure has not passed. */
  actual: number | string | undefined
  message: string
}

/**
 * Parses one condition: `KEY.FIGURE OPERATOR VALUE` or `FIGURE OPERATOR VALUE`. Keys may contain dots and spaces; the
 * value may be a percentage; `==` means `=`.
 *
 * @throws Error that names the problem and lists the valid choices
 */
export function parseFailIf(text: string): FailCondition {
  const [, subject, sign, right] = /^\s*(.+?)\s*(<=|>=|!=|==|=|<|>)\s*(.+?)\s*$/.exec(text) ?? []
  if (!subject || !sign || !right)
    throw toParseError(text, 'it is not of the form KEY.FIGURE<VALUE, e.g. correctness.mean<0.8')
  const { key, figure } = parseSubject(subject, text)
  const operator = (sign === '==' ? '=' : sign) as Operator
  return { text: text.trim(), key, figure, operator, value: parseComparand(right, figure, operator, text) }
}

/** True when a condition needs the comparison with a baseline. */
export function needsBaseline(conditions: readonly FailCondition[]): boolean {
  return conditions.some(({ key, figure }) => key !== undefined && isOneOf(COMPARED_FIGURES, figure))
}

/** Returns the conditions that hold, which are the reasons to fail; empty when the experiment passes. */
export function findFailures(conditions: readonly FailCondition[], figures: GateFigures): FailedGate[] {
  return conditions.flatMap((condition): FailedGate[] => {
    const { text, key, figure } = condition
    const actual = findFigure(condition, figures)
    const name = key === undefined ? figure : `${key}.${figure}`
    if (actual === undefined) return [{ condition: text, actual, message: `${text}: there is no figure ${name}` }]
    return isMet(actual, condition) ? [{ condition: text, actual, message: `${text}: it is ${actual}` }] : []
  })
}

function parseSubject(subject: string, text: string): Pick<FailCondition, 'key' | 'figure'> {
  const dot = subject.lastIndexOf('.')
  const key = dot < 0 ? undefined : subject.slice(0, dot)
  const figure = subject.slice(dot + 1)
  if (key === undefined) {
    if (isOneOf(EXPERIMENT_FIGURES, figure)) return { key, figure }
    throw toParseError(
      text,
      `there is no figure ${figure}; ask for KEY.${KEY_FIGURES[0]}, or for ${joinNames(EXPERIMENT_FIGURES)}`,
    )
  }
  if (key !== '' && (isOneOf(KEY_FIGURES, figure) || isOneOf(COMPARED_FIGURES, figure))) return { key, figure }
  throw toParseError(
    text,
    `a key has no figure ${figure}; there are ${joinNames([...KEY_FIGURES, ...COMPARED_FIGURES])}`,
  )
}

function parseComparand(right: string, figure: string, operator: Operator, text: string): number | string {
  if (figure === 'verdict') {
    if (operator !== '=' && operator !== '!=') throw toParseError(text, 'a verdict is compared by = or !=')
    const verdict = normalizeVerdict(right)
    if (isOneOf(VERDICTS, verdict)) return verdict
    throw toParseError(text, `there is no verdict ${right}; there are ${joinNames(VERDICTS)}`)
  }
  const number = right.endsWith('%') ? Number(right.slice(0, -1)) / 100 : Number(right)
  if (Number.isFinite(number)) return number
  throw toParseError(text, `${right} is not a number`)
}

function findFigure(
  { key, figure }: FailCondition,
  { experiment, feedback }: GateFigures,
): number | string | undefined {
  const found =
    key === undefined
      ? experiment?.[figure as ExperimentFigure]
      : Object.hasOwn(feedback, key)
        ? feedback[key]?.[figure as KeyFigure]
        : undefined
  if (typeof found === 'string') return figure === 'verdict' ? normalizeVerdict(found) : found
  return typeof found === 'number' && !Number.isNaN(found) ? found : undefined
}

function isMet(actual: number | string, { operator, value }: FailCondition): boolean {
  switch (operator) {
    case '<':
      return actual < value
    case '<=':
      return actual <= value
    case '>':
      return actual > value
    case '>=':
      return actual >= value
    case '=':
      return actual === value
    case '!=':
      return actual !== value
  }
}

/** `no_difference_shown` and `No difference shown` are the same verdict. */
function normalizeVerdict(verdict: string): string {
  return verdict.replaceAll(/[_\s-]+/g, ' ').toLowerCase()
}

function isOneOf<Word extends string>(words: readonly Word[], word: string): word is Word {
  return (words as readonly string[]).includes(word)
}

function joinNames(words: readonly string[]): string {
  return words.join(', ')
}

function toParseError(text: string, because: string): Error {
  return new Error(`Cannot read the condition ${JSON.stringify(text)}: ${because}.`)
}
