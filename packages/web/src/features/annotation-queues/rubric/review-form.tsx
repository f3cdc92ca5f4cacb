import { Check, CircleAlert, LoaderCircle, MessageSquare } from 'lucide-react'
import { type KeyboardEvent, type Ref, Suspense, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { cx } from '#lib/browser.ts'
import { formatAbsoluteTime } from '#lib/format.ts'
import { Disclosure } from '#ui/disclosure.tsx'
import { TEXT_AREA } from '#ui/field.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import type { SaveStatus } from './answer-saver.ts'
import { QuestionInput } from './question-input.tsx'
import {
  type Answer,
  type Answers,
  chooseOption,
  isChosen,
  isRequired,
  type Question,
  selectVisible,
} from './rubric.ts'

const Markdown = lazyExtra(
  () => import('#features/payloads/chat/markdown.tsx').then((module) => module.default),
  PlainText,
)

export interface ReviewFormProps {
  questions: readonly Question[]
  answers: Answers
  /** Whether each answer is stored, by key; absent keys were not changed. */
  statuses: ReadonlyMap<string, SaveStatus>
  /** The question that keys answer. */
  activeKey: string | undefined
  onActivate: (key: string) => void
  /** What is wrong with one answer. */
  problem: { key: string; problem: string } | undefined
  isReadOnly: boolean
  /** @param isTyping  more may follow at once */
  onAnswer: (key: string, answer: Answer, isTyping: boolean) => void
  /** A field was left, so what was typed can be stored. */
  onLeave: () => void
  /** Ctrl+Enter in a field. */
  onDone: () => void
  ref?: Ref<ReviewFormHandle>
}

export interface ReviewFormHandle {
  /** Gives a question the focus. */
  focus: (key: string) => void
  /** Opens the comment of the active question and gives it the focus. */
  comment: () => void
  /** Gives the question after or before the active one the focus. */
  move: (by: 1 | -1) => void
  /** Chooses the option with this number, from 1, of the active question, and moves on. */
  choose: (number: number) => void
}

/** The questions of a rubric for one item. Up and down move, numbers choose, Ctrl+Enter is done. */
export function ReviewForm(props: ReviewFormProps) {
  const { questions, answers, statuses, activeKey, onActivate, problem, isReadOnly, onAnswer } = props
  const form = useRef<HTMLFormElement>(null)
  const [commented, setCommented] = useState<ReadonlySet<string>>(new Set())
  const visible = selectVisible(questions, answers)
  const active = visible.find(({ key }) => key === activeKey) ?? visible[0]

  /** At once, so that the next key press already goes to the field. */
  function focus(key: string, part: 'control' | 'comment' = 'control') {
    onActivate(key)
    form.current?.querySelector<HTMLElement>(`[data-question="${CSS.escape(key)}"] [data-${part}]`)?.focus()
  }
  function move(by: 1 | -1) {
    const next = active && visible[visible.indexOf(active) + by]
    if (next) focus(next.key)
  }
  function choose(number: number) {
    const option = active?.options[number - 1]
    if (active === undefined || option === undefined || isReadOnly) return
    const before = answers[active.key]
    const answer = isChosen(option, before) ? { ...before } : chooseOption(option, before)
    // The answer may show a further question, which has to exist before it gets the focus.
    flushSync(() => onAnswer(active.key, answer, false))
    const next = selectVisible(questions, { ...answers, [active.key]: answer })
    const following = next[next.indexOf(active) + 1]
    if (following) focus(following.key)
  }
  function openComment(key: string) {
    flushSync(() => setCommented(new Set(commented).add(key)))
    focus(key, 'comment')
  }
  const comment = () => active && openComment(active.key)
  useImperativeHandle(props.ref, () => ({ focus, move, choose, comment }))

  function press(event: KeyboardEvent) {
    const act = readFieldKey(event)
    if (act === undefined) return
    event.preventDefault()
    if (act === 'done') props.onDone()
    else if (act === 'leave') (event.target as HTMLElement).blur()
    else move(act)
  }
  return (
    <form
      ref={form}
      aria-label="Review"
      data-pane="form"
      noValidate
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={press}
      onBlur={props.onLeave}
      className="flex flex-col gap-3 p-3"
    >
      {visible.map((question, index) => (
        <QuestionBlock
          key={question.key}
          number={index + 1}
          question={question}
          answer={answers[question.key] ?? {}}
          status={statuses.get(question.key)}
          isActive={question === active}
          isRequired={isRequired(question, answers)}
          isReadOnly={isReadOnly}
          problem={problem?.key === question.key ? problem.problem : undefined}
          hasComment={commented.has(question.key) || answers[question.key]?.comment !== undefined}
          onComment={() => openComment(question.key)}
          onActivate={() => question !== active && onActivate(question.key)}
          onAnswer={(answer, isTyping) => onAnswer(question.key, answer, isTyping)}
        />
      ))}
    </form>
  )
}

/** Keys that work inside a field too. Other keys are shortcuts of the page. */
function readFieldKey(event: KeyboardEvent): 'done' | 'leave' | 1 | -1 | undefined {
  const isField = event.target instanceof Element && event.target.matches('input, textarea')
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) return 'done'
  if (!isField) return undefined
  if (event.key === 'Escape') return 'leave'
  const isText = event.target instanceof HTMLTextAreaElement
  if (event.key === 'Enter' && !isText) return 1
  if (event.key === 'ArrowDown' && (!isText || event.altKey)) return 1
  if (event.key === 'ArrowUp' && (!isText || event.altKey)) return -1
  return undefined
}

/** What reviewers should know about the whole queue, in Markdown. */
export function Instructions({ text }: { text: string }) {
  if (text === '') return null
  return (
    <Disclosure
      startsOpen
      summary={<span className="font-medium">Instructions</span>}
      className="mx-3 mt-3 rounded-card border border-border bg-sunken px-3 py-2 text-form"
    >
      <Suspense fallback={<PlainText source={text} />}>
        <Markdown source={text} />
      </Suspense>
    </Disclosure>
  )
}

function PlainText({ source }: { source: string }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap">
      {source}
    </p>
  )
}

interface QuestionBlockProps {
  /** From 1. */
  number: number
  question: Question
  answer: Answer
  status: SaveStatus | undefined
  isActive: boolean
  isRequired: boolean
  isReadOnly: boolean
  problem: string | undefined
  hasComment: boolean
  onComment: () => void
  onActivate: () => void
  onAnswer: (answer: Answer, isTyping: boolean) => void
}

function QuestionBlock(props: QuestionBlockProps) {
  const { number, question, answer, status, isActive, isRequired, isReadOnly, problem, hasComment } = props
  const problemId = `problem-${question.key}`
  return (
    <fieldset
      data-question={question.key}
      disabled={isReadOnly}
      aria-describedby={problem === undefined ? undefined : problemId}
      onFocus={props.onActivate}
      className={cx(
        'flex min-w-0 flex-col gap-1.5 rounded-card border p-2.5',
        problem === undefined ? (isActive ? 'border-accent' : 'border-border') : 'border-err',
      )}
    >
      <legend className="contents">
        <span className="flex min-w-0 items-baseline gap-1.5 text-form">
          <span className="text-row text-fg-subtle">{number}</span>
          <span className="min-w-0 break-words font-medium">{question.key}</span>
          {isRequired && (
            <span title="Required" className="text-err">
              *<span className="sr-only"> required</span>
            </span>
          )}
          <SaveMark status={status} />
        </span>
      </legend>
      {question.description !== '' && (
        <p dir="auto" className="break-words text-row text-fg-muted">
          {question.description}
        </p>
      )}
      <QuestionInput question={question} answer={answer} onAnswer={props.onAnswer} />
      {hasComment ? (
        <textarea
          data-comment
          dir="auto"
          aria-label={`Comment on ${question.key}`}
          placeholder="Comment"
          value={answer.comment ?? ''}
          onChange={(event) => props.onAnswer({ ...answer, comment: event.target.value || undefined }, true)}
          className={`${TEXT_AREA} min-h-12`}
        />
      ) : (
        <button
          type="button"
          onClick={props.onComment}
          className="flex h-6 items-center gap-1 self-start text-meta text-fg-muted hover:text-fg hover:underline coarse:h-10"
        >
          <MessageSquare size={12} aria-hidden />
          Comment
        </button>
      )}
      {problem !== undefined && (
        <p id={problemId} role="alert" className="flex items-center gap-1 text-row text-err">
          <CircleAlert size={13} aria-hidden />
          {problem}
        </p>
      )}
    </fieldset>
  )
}

/** Whether an answer is stored, at the end of its line. */
function SaveMark({ status }: { status: SaveStatus | undefined }) {
  const place = 'ml-auto flex shrink-0 items-center gap-1 text-meta font-normal'
  if (status === undefined) return null
  if (status.kind === 'saving') {
    return (
      <span className={cx(place, 'text-fg-subtle')}>
        <LoaderCircle size={12} aria-hidden className="animate-spin" />
        Saving
      </span>
    )
  }
  if (status.kind === 'failed') {
    return (
      <span role="alert" className={cx(place, 'text-err')}>
        <CircleAlert size={12} aria-hidden />
        Not saved
      </span>
    )
  }
  const at = new Date(status.atMs).toISOString()
  return (
    <span role="status" title={formatAbsoluteTime(at)} className={cx(place, 'text-ok')}>
      <Check size={13} aria-hidden />
      Saved
    </span>
  )
}
