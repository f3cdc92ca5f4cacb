import type { AnnotationQueueRubricItem, AnnotationQueueWithDetails } from '@touchstone/sdk'

/** A question being edited. */
export interface QuestionDraft {
  /** Of the list; the feedback key can change while it is typed. */
  id: string
  key: string
  description: string
  /** `config`: as in the feedback config of the key. */
  kind: 'config' | 'options' | 'assertion'
  /** Lines `score = meaning`, of `options`. */
  options: string
  isRequired: boolean
  /** The item as it was read; conditions and other members are kept. */
  original: AnnotationQueueRubricItem | undefined
}

/** A dataset by its id, or by a name as it is typed; an empty name is none. */
export type DatasetChoice = { readonly id: string } | { readonly name: string }

export interface SettingsDraft {
  name: string
  description: string
  instructions: string
  questions: readonly QuestionDraft[]
  /** '' for all reviewers. */
  reviewersPerItem: string
  isReserved: boolean
  reservationMinutes: string
  access: 'any' | 'assigned'
  /** Whether reviewers see the scores of others only after they have completed an item. */
  isBlind: boolean
  /** Ids of assigned people and keys. */
  reviewers: readonly string[]
  dataset: DatasetChoice
}

export function toSettingsDraft(queue: AnnotationQueueWithDetails): SettingsDraft {
  const { num_reviewers_per_item: count } = queue
  return {
    name: queue.name,
    description: queue.description ?? '',
    instructions: queue.rubric_instructions ?? '',
    questions: (queue.rubric_items ?? []).map(toQuestionDraft),
    reviewersPerItem: count === null ? '' : String(count ?? 1),
    isReserved: queue.enable_reservations ?? true,
    reservationMinutes: String(queue.reservation_minutes ?? 1),
    access: queue.reviewer_access_mode ?? 'any',
    isBlind: queue.hide_others_scores ?? false,
    reviewers: (queue.assigned_reviewers ?? []).map(({ id }) => id),
    dataset: queue.default_dataset == null ? { name: '' } : { id: queue.default_dataset },
  }
}

function toQuestionDraft(item: AnnotationQueueRubricItem, index: number): QuestionDraft {
  // Object keys come integers first.
  const scores = Object.entries(item.score_descriptions ?? {}).sort(([a], [b]) => Number(a) - Number(b))
  return {
    id: `${index} ${item.feedback_key}`,
    key: item.feedback_key,
    description: item.description ?? '',
    kind: item.is_assertion ? 'assertion' : scores.length > 0 ? 'options' : 'config',
    options: scores.map(([score, label]) => `${score} = ${label}`).join('\n'),
    isRequired: item.is_required ?? false,
    original: item,
  }
}

export function newQuestion(id: string): QuestionDraft {
  return { id, key: '', description: '', kind: 'config', options: '', isRequired: false, original: undefined }
}

/** The rubric item of a draft. Text options of the original stay. */
export function toRubricItem({ key, description, kind, options, isRequired, original }: QuestionDraft) {
  const { feedback_config: _, ...kept } = (original ?? {}) as AnnotationQueueRubricItem & { feedback_config?: unknown }
  const scores =
    kind === 'options' ? Object.fromEntries(parseOptions(options).map(({ score, label }) => [score, label])) : null
  return {
    ...kept,
    feedback_key: key.trim(),
    description: description.trim() || null,
    score_descriptions: scores,
    is_required: isRequired,
    is_assertion: kind === 'assertion',
  } satisfies AnnotationQueueRubricItem
}

/** A question in lines, to compare two versions of it. */
export function printQuestion({ key, description, kind, options, isRequired }: QuestionDraft): string {
  const lines = [
    `${key}${isRequired ? ' (required)' : ''}`,
    description,
    kind === 'assertion' ? 'Assertion' : '',
    kind === 'options' ? options : '',
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** Lines `score = meaning`; other lines are left out. */
function parseOptions(text: string): { score: string; label: string }[] {
  return text.split('\n').flatMap((line) => {
    const [, score, label] = /^\s*(-?\d+(?:\.\d+)?)\s*=\s*(.+?)\s*$/.exec(line) ?? []
    return score === undefined || label === undefined ? [] : [{ score, label }]
  })
}

/** What is wrong with a question; undefined when it can be saved. */
export function findQuestionProblem(question: QuestionDraft, all: readonly QuestionDraft[]): string | undefined {
  const key = question.key.trim()
  if (key === '') return 'Enter a feedback key.'
  if (key.length > 180) return 'A feedback key has at most 180 characters.'
  if (all.some((other) => other !== question && other.key.trim() === key)) return 'Another question has this key.'
  if (question.kind !== 'options') return undefined
  const lines = question.options.split('\n').filter((line) => line.trim() !== '')
  const parsed = parseOptions(question.options)
  if (parsed.length < lines.length) return 'Write each option as a line: score = meaning.'
  if (parsed.length === 0) return 'Write at least one option: score = meaning.'
  return new Set(parsed.map(({ score }) => Number(score))).size < parsed.length
    ? 'Each score can be used once.'
    : undefined
}

/** The problem of each invalid field, by its name. */
export function findSettingsProblems(draft: SettingsDraft): Partial<Record<keyof SettingsDraft, string>> {
  const isWhole = (text: string, max: number) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max
  return {
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(draft.reviewersPerItem !== '' &&
      !isWhole(draft.reviewersPerItem, 1000) && { reviewersPerItem: 'Enter 1 to 1,000.' }),
    ...(draft.isReserved &&
      !isWhole(draft.reservationMinutes, 43_200) && { reservationMinutes: 'Enter 1 to 43,200 minutes.' }),
    ...(draft.questions.some((one) => findQuestionProblem(one, draft.questions) !== undefined) && {
      questions: 'Complete the questions.',
    }),
  }
}

/** Moves a question up or down. */
export function moveQuestion(questions: readonly QuestionDraft[], index: number, by: 1 | -1): QuestionDraft[] {
  const moved = [...questions]
  const [one] = moved.splice(index, 1)
  if (one !== undefined) moved.splice(Math.min(Math.max(index + by, 0), moved.length), 0, one)
  return moved
}

/**
 * The change of the queue: the changed fields only, so that what a colleague changed meanwhile stays. Assigned reviewers
 * are changed separately.
 *
 * @param datasetId  of the chosen dataset; undefined for none
 */
export function toQueueChange(
  draft: SettingsDraft,
  changed: readonly (keyof SettingsDraft)[],
  datasetId: string | undefined,
) {
  const has = (field: keyof SettingsDraft) => changed.includes(field)
  return {
    ...(has('name') && { name: draft.name.trim() }),
    ...(has('description') && { description: draft.description }),
    ...(has('instructions') && { rubricInstructions: draft.instructions }),
    ...(has('questions') && { rubricItems: draft.questions.map(toRubricItem) }),
    ...(has('reviewersPerItem') && {
      numReviewersPerItem: draft.reviewersPerItem === '' ? null : Number(draft.reviewersPerItem),
    }),
    ...(has('isReserved') && { enableReservations: draft.isReserved }),
    // The minutes are shown, and hidden again, with the reservations.
    ...((has('isReserved') || has('reservationMinutes')) &&
      draft.isReserved && { reservationMinutes: Number(draft.reservationMinutes) }),
    ...(has('access') && { reviewerAccessMode: draft.access }),
    ...(has('isBlind') && { hideOthersScores: draft.isBlind }),
    ...(has('dataset') && { defaultDataset: datasetId ?? null }),
  }
}

/**
 * What a change is based on, field by field, so that the server refuses it when others have changed one of these fields.
 *
 * @param base  the settings as they were when the fields were first edited
 */
export function toExpectedQueue(base: SettingsDraft, changed: readonly (keyof SettingsDraft)[]) {
  const { rubricItems, ...expected } = toQueueChange(base, changed, 'id' in base.dataset ? base.dataset.id : undefined)
  if (rubricItems === undefined) return expected
  return { ...expected, rubricItems: base.questions.flatMap(({ original }) => original ?? []) }
}
