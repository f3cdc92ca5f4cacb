import { findSyntaxProblem, type JsonProblem, lineAt } from '@touchstone/formats/locate-json'
import { type RefObject, Suspense, useCallback, useId, useRef } from 'react'
import { cx } from '#lib/browser.ts'
import { lazyExtra } from './lazy.tsx'

export interface JsonEditorProps {
  /** Accessible name of the field. */
  label: string
  /** The text, valid or not. */
  value: string
  onChange: (text: string) => void
  /**
   * What is wrong with the text. Called for texts that are JSON only; mistakes of syntax are found without it. Must keep
   * its identity while its answers stay the same.
   */
  check?: ((text: string) => readonly JsonProblem[]) | undefined
  /** Called by Ctrl+S, and by Ctrl+Enter without `onRun`. */
  onSave?: (() => void) | undefined
  /** Called by Ctrl+Enter. */
  onRun?: (() => void) | undefined
  readOnly?: boolean | undefined
  /** Whether it takes the focus when it appears. @default false */
  autoFocus?: boolean
  /** Whether an empty text is allowed. @default false */
  mayBeEmpty?: boolean
  /** Classes for the height. @default grows with its text up to 24 rem */
  className?: string
}

/** What the code of the editor is given. */
export interface JsonEditorViewProps extends Omit<JsonEditorProps, 'className' | 'mayBeEmpty'> {
  findProblems: (text: string) => readonly JsonProblem[]
  /** Id of the list of problems. */
  describedBy: string
  /** @default 'json' */
  language?: 'json' | 'javascript' | undefined
  /** The plain field that has the focus while the code of the editor loads. */
  plainField: RefObject<HTMLTextAreaElement | undefined>
}

// Without the code of the editor, for example while the server restarts, the text can still be edited.
const Editor = lazyExtra(() => import('./json-editor-view.tsx').then((module) => module.JsonEditorView), PlainEditor)

const NONE: readonly JsonProblem[] = []

/** Mistakes of syntax, or else what `check` finds. */
export function findJsonProblems(
  text: string,
  { check, mayBeEmpty = false }: Pick<JsonEditorProps, 'check' | 'mayBeEmpty'>,
): readonly JsonProblem[] {
  if (mayBeEmpty && text.trim() === '') return NONE
  const problem = findSyntaxProblem(text)
  return problem === undefined ? (check?.(text) ?? NONE) : [problem]
}

/**
 * A field for JSON: highlighted, with every problem marked at its line and listed below. Tab moves on, Esc leaves the
 * field, Ctrl+S saves.
 */
export function JsonEditor({ className, mayBeEmpty = false, ...props }: JsonEditorProps) {
  const { value, check } = props
  const listId = useId()
  const findProblems = (text: string) => findJsonProblems(text, { check, mayBeEmpty })
  const plainField = useRef<HTMLTextAreaElement>(undefined)
  const view: JsonEditorViewProps = { ...props, findProblems, describedBy: listId, plainField }
  return (
    <div className="flex min-h-0 min-w-0 flex-col gap-1">
      <div className={cx(FRAME, className ?? 'max-h-96')}>
        <Suspense fallback={<PlainEditor {...view} />}>
          <Editor {...view} />
        </Suspense>
      </div>
      <JsonProblems id={listId} text={value} problems={findProblems(value)} />
    </div>
  )
}

interface CodeEditorProps
  extends Pick<JsonEditorProps, 'label' | 'value' | 'onChange' | 'onSave' | 'readOnly' | 'className'> {
  /** What is wrong with the text. Must keep its identity while it stays the same. */
  problems?: readonly JsonProblem[] | undefined
}

/** A field for JavaScript with the same editor. */
export function CodeEditor({ className, problems = NONE, ...props }: CodeEditorProps) {
  const listId = useId()
  const plainField = useRef<HTMLTextAreaElement>(undefined)
  const check = useCallback(() => problems, [problems])
  const view = {
    ...props,
    check,
    findProblems: check,
    describedBy: listId,
    plainField,
    language: 'javascript',
  } as const
  return (
    <div className="flex min-h-0 min-w-0 flex-col gap-1">
      <div className={cx(FRAME, className ?? 'max-h-96')}>
        <Suspense fallback={<PlainEditor {...view} />}>
          <Editor {...view} />
        </Suspense>
      </div>
      <JsonProblems id={listId} text={props.value} problems={problems} />
    </div>
  )
}

const FRAME =
  'flex min-h-16 min-w-0 flex-col overflow-hidden rounded-control border border-border-strong bg-surface focus-within:outline-2 focus-within:outline-accent'

const MAX_LISTED = 20

/** Problems with their lines; announced when they appear. */
function JsonProblems({ id, text, problems }: { id: string; text: string; problems: readonly JsonProblem[] }) {
  return (
    <ul id={id} aria-live="polite" className="flex flex-col gap-0.5 text-row text-err empty:hidden">
      {problems.slice(0, MAX_LISTED).map(({ from, message }) => (
        <li key={`${from} ${message}`} className="break-words">
          Line {lineAt(text, from)}: {message}
        </li>
      ))}
      {problems.length > MAX_LISTED && <li>and {problems.length - MAX_LISTED} more</li>}
    </ul>
  )
}

function PlainEditor({
  label,
  value,
  onChange,
  onSave,
  onRun = onSave,
  readOnly,
  describedBy,
  plainField,
}: JsonEditorViewProps) {
  return (
    <textarea
      onFocus={(event) => {
        plainField.current = event.currentTarget
      }}
      onBlur={() => {
        plainField.current = undefined
      }}
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || (event.key !== 's' && event.key !== 'Enter')) return
        event.preventDefault()
        event.stopPropagation()
        if (event.key === 's') onSave?.()
        else onRun?.()
      }}
      aria-label={label}
      aria-describedby={describedBy}
      value={value}
      readOnly={readOnly}
      spellCheck={false}
      rows={Math.min(value.split('\n').length, 20)}
      onChange={(event) => onChange(event.target.value)}
      className="min-h-16 w-full flex-1 resize-none bg-surface px-2 py-1 font-mono text-row outline-none"
    />
  )
}
