import type { AnnotationQueueRubricItem, AnnotationQueueWithDetails, RubricItemConditions } from '@touchstone/sdk'

/** A rubric item as the server reads it, with the config of its key. */
export type ReadRubricItem = NonNullable<AnnotationQueueWithDetails['rubric_items']>[number]

/** An answer that is chosen by its number. */
export interface Option {
  label: string
  score?: number | undefined
  value?: string | undefined
}

/** A question of the review form. */
export interface Question {
  /** Feedback key of the answer. */
  key: string
  description: string
  kind: 'options' | 'number' | 'text'
  /** Of `options`. */
  options: readonly Option[]
  /** Bounds of a number. */
  min: number | undefined
  max: number | undefined
  isRequired: boolean
  requiredIf: RubricItemConditions | undefined
  visibleIf: RubricItemConditions | undefined
  /** A text has to match it. */
  pattern: string | undefined
}

/** What a reviewer answered; an empty object is no answer. */
export interface Answer {
  score?: number | undefined
  value?: string | undefined
  comment?: string | undefined
}

export type Answers = Readonly<Record<string, Answer>>

/** The questions of a rubric in order. The first item of a key counts. */
export function toQuestions(items: readonly (AnnotationQueueRubricItem | ReadRubricItem)[]): Question[] {
  const seen = new Set<string>()
  return items.flatMap((item) => {
    if (item.feedback_key === '' || seen.has(item.feedback_key)) return []
    seen.add(item.feedback_key)
    return [toQuestion(item)]
  })
}

function toQuestion(item: AnnotationQueueRubricItem | ReadRubricItem): Question {
  const config = 'feedback_config' in item ? (item.feedback_config as ReadRubricItem['feedback_config']) : undefined
  const type = config?.feedback_config?.type
  const options = findOptions(item, config)
  return {
    key: item.feedback_key,
    description: item.description ?? '',
    kind: options.length > 0 ? 'options' : type === 'freeform' || item.regex_validator ? 'text' : 'number',
    options,
    min: config?.feedback_config?.min ?? undefined,
    max: config?.feedback_config?.max ?? undefined,
    isRequired: item.is_required ?? false,
    requiredIf: item.required_if ?? undefined,
    visibleIf: item.visible_if ?? undefined,
    pattern: item.regex_validator ?? undefined,
  }
}

/** Categories of the config, with the rubric's own words for their scores; else the described scores, else values. */
function findOptions(
  item: AnnotationQueueRubricItem | ReadRubricItem,
  config: ReadRubricItem['feedback_config'],
): Option[] {
  const scores = item.score_descriptions ?? {}
  const values = item.value_descriptions ?? {}
  if (config?.feedback_config?.type === 'categorical') {
    return (config.feedback_config.categories ?? []).map(({ value: score, label }) => {
      const own = scores[String(score)] ?? (label == null ? undefined : values[label])
      return { label: own || label || String(score), score, value: label ?? undefined }
    })
  }
  if (config?.feedback_config != null) return []
  const byScore = Object.entries(scores).filter(([score]) => Number.isFinite(Number(score)))
  if (byScore.length > 0) {
    return byScore
      .map(([score, label]) => ({ label: label || score, score: Number(score) }))
      .sort((a, b) => a.score - b.score)
  }
  const byValue = Object.entries(values)
  if (byValue.length > 0) return byValue.map(([value, label]) => ({ label: label || value, value }))
  if (!item.is_assertion) return []
  return [
    { label: 'holds', score: 1 },
    { label: 'does not hold', score: 0 },
  ]
}

export function isAnswered(answer: Answer | undefined): boolean {
  return answer?.score !== undefined || Boolean(answer?.value?.trim())
}

/** Whether an option is the answer. */
export function isChosen(option: Option, answer: Answer | undefined): boolean {
  if (answer === undefined || !isAnswered(answer)) return false
  return option.score === undefined ? option.value === answer.value : option.score === answer.score
}

/** The answer that an option gives; the comment stays. Choosing it again takes it back. */
export function chooseOption(option: Option, answer: Answer | undefined): Answer {
  const comment = answer?.comment
  return isChosen(option, answer) ? { comment } : { score: option.score, value: option.value, comment }
}

/** The questions that the answers so far show. */
export function selectVisible(questions: readonly Question[], answers: Answers): Question[] {
  return questions.filter(({ visibleIf }) => visibleIf === undefined || meets(visibleIf, answers))
}

export function isRequired({ isRequired, requiredIf }: Question, answers: Answers): boolean {
  return isRequired || (requiredIf !== undefined && meets(requiredIf, answers))
}

function meets({ join, rules }: RubricItemConditions, answers: Answers): boolean {
  const results = rules.map(({ key, op, values }) => {
    const answer = answers[key]
    if (op === 'is_empty') return !isAnswered(answer)
    if (op === 'is_not_empty') return isAnswered(answer)
    return answer?.score !== undefined && (values ?? []).includes(answer.score)
  })
  if (results.length === 0) return true
  return join === 'all' ? results.every(Boolean) : results.some(Boolean)
}

/** What is wrong with an answer; undefined when it can stay. */
export function findProblem(question: Question, answers: Answers): string | undefined {
  const answer = answers[question.key]
  if (!isAnswered(answer)) {
    if (!isRequired(question, answers)) return undefined
    return question.kind === 'options' ? 'Choose an answer.' : 'Enter an answer.'
  }
  if (question.kind === 'number') return findNumberProblem(question, answer?.score)
  if (question.kind === 'text' && !matchesPattern(question.pattern, answer?.value ?? '')) {
    return `The text does not match ${question.pattern}.`
  }
  return undefined
}

function findNumberProblem({ min, max }: Question, score: number | undefined): string | undefined {
  if (score === undefined || !Number.isFinite(score)) return 'Enter a number.'
  if (min !== undefined && score < min) return `The score must be at least ${min}.`
  if (max !== undefined && score > max) return `The score must be at most ${max}.`
  return undefined
}

/** A pattern that this browser cannot read matches everything. */
function matchesPattern(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}

/** The first visible question whose answer is missing or invalid. */
export function findFirstProblem(questions: readonly Question[], answers: Answers) {
  for (const { key, ...question } of selectVisible(questions, answers)) {
    const problem = findProblem({ key, ...question }, answers)
    if (problem !== undefined) return { key, problem }
  }
  return undefined
}
