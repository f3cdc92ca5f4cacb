/**
 * The gate of an experiment: short conditions under which it counts as failed, the same in `evaluate({ failIf })` and in
 * the CLI's `--fail-if`.
 *
 * | condition | fails when |
 * | --- | --- |
 * | `correctness.mean<0.8` | the mean score of the key is below 0.8 |
 * | `correctness.n<100` | fewer scores than that were given |
 * | `correctness.verdict=worse` | it is shown to be worse than the baseline |
 * | `correctness.difference<-0.05` | the paired difference to the baseline is below that |
 * | `error_rate>5%` | more than a twentieth of the runs failed |
 */

/** Of the scores of one key: those of the experiment, and those of its comparison with a baseline. */
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
/** Of the experiment as a whole; latencies are seconds, costs US dollars. */
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
  /** As it was written. */
  text: string
  /** Absent for a figure of the experiment as a whole. */
  key: string | undefined
  figure: KeyFigure | ExperimentFigure
  operator: Operator
  value: number | string
}

/** What conditions are about; null and absent both mean that the figure does not exist. */
export interface GateFigures {
  experiment?: Partial<Record<ExperimentFigure, number | null | undefined>> | undefined
  feedback: Record<string, Partial<Record<KeyFigure, number | string | null | undefined>>>
}

/** A condition under which the experiment failed. */
export interface FailedGate {
  condition: string
  /** `undefined` when there is no such figure, which fails too: what was not measured did not pass. */
  actual: number | string | undefined
  message: string
}

/**
 * Reads one condition: `KEY.FIGURE OPERATOR VALUE` or `FIGURE OPERATOR VALUE`. Keys may contain dots and spaces; a number
 * may be a percentage; `==` is `=`.
 *
 * @throws Error that says what is wrong and what there is
 */
export function parseFailIf(text: string): FailCondition {
  const [, subject, sign, right] = /^\s*(.+?)\s*(<=|>=|!=|==|=|<|>)\s*(.+?)\s*$/.exec(text) ?? []
  if (!subject || !sign || !right)
    throw refused(text, 'it is not of the form KEY.FIGURE<VALUE, e.g. correctness.mean<0.8')
  const { key, figure } = subjectOf(subject, text)
  const operator = (sign === '==' ? '=' : sign) as Operator
  return { text: text.trim(), key, figure, operator, value: comparandOf(right, figure, operator, text) }
}

/** True when some condition needs the statistics against a baseline. */
export function needsBaseline(conditions: readonly FailCondition[]): boolean {
  return conditions.some(({ key, figure }) => key !== undefined && isOneOf(COMPARED_FIGURES, figure))
}

/** The conditions that hold, so the reasons to fail; empty when the experiment passes. */
export function findFailures(conditions: readonly FailCondition[], figures: GateFigures): FailedGate[] {
  return conditions.flatMap((condition): FailedGate[] => {
    const { text, key, figure } = condition
    const actual = figureOf(condition, figures)
    const name = key === undefined ? figure : `${key}.${figure}`
    if (actual === undefined) return [{ condition: text, actual, message: `${text}: there is no figure ${name}` }]
    return holds(actual, condition) ? [{ condition: text, actual, message: `${text}: it is ${actual}` }] : []
  })
}

function subjectOf(subject: string, text: string): Pick<FailCondition, 'key' | 'figure'> {
  const dot = subject.lastIndexOf('.')
  const key = dot < 0 ? undefined : subject.slice(0, dot)
  const figure = subject.slice(dot + 1)
  if (key === undefined) {
    if (isOneOf(EXPERIMENT_FIGURES, figure)) return { key, figure }
    throw refused(
      text,
      `there is no figure ${figure}; ask for KEY.${KEY_FIGURES[0]}, or for ${listed(EXPERIMENT_FIGURES)}`,
    )
  }
  if (key !== '' && (isOneOf(KEY_FIGURES, figure) || isOneOf(COMPARED_FIGURES, figure))) return { key, figure }
  throw refused(text, `a key has no figure ${figure}; there are ${listed([...KEY_FIGURES, ...COMPARED_FIGURES])}`)
}

function comparandOf(right: string, figure: string, operator: Operator, text: string): number | string {
  if (figure === 'verdict') {
    if (operator !== '=' && operator !== '!=') throw refused(text, 'a verdict is compared by = or !=')
    const verdict = spoken(right)
    if (isOneOf(VERDICTS, verdict)) return verdict
    throw refused(text, `there is no verdict ${right}; there are ${listed(VERDICTS)}`)
  }
  const number = right.endsWith('%') ? Number(right.slice(0, -1)) / 100 : Number(right)
  if (Number.isFinite(number)) return number
  throw refused(text, `${right} is not a number`)
}

function figureOf({ key, figure }: FailCondition, { experiment, feedback }: GateFigures): number | string | undefined {
  const found =
    key === undefined
      ? experiment?.[figure as ExperimentFigure]
      : Object.hasOwn(feedback, key)
        ? feedback[key]?.[figure as KeyFigure]
        : undefined
  if (typeof found === 'string') return figure === 'verdict' ? spoken(found) : found
  return typeof found === 'number' && !Number.isNaN(found) ? found : undefined
}

function holds(actual: number | string, { operator, value }: FailCondition): boolean {
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

/** `no_difference_shown` and `No difference shown` are one verdict. */
function spoken(verdict: string): string {
  return verdict.replaceAll(/[_\s-]+/g, ' ').toLowerCase()
}

function isOneOf<Word extends string>(words: readonly Word[], word: string): word is Word {
  return (words as readonly string[]).includes(word)
}

function listed(words: readonly string[]): string {
  return words.join(', ')
}

function refused(text: string, because: string): Error {
  return new Error(`Cannot read the condition ${JSON.stringify(text)}: ${because}.`)
}
