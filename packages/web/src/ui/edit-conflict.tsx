import { type ReactNode, useId, useMemo } from 'react'
import { cx } from '#lib/browser.ts'
import { diffText, type TextLine } from '#lib/diff/diff-text.ts'
import { Button } from './button.tsx'
import type { Draft } from './use-draft.tsx'

/** A field that was edited here and saved elsewhere meanwhile. */
export interface ConflictField {
  label: string
  /** The text as it is saved now. */
  theirs: string
  /** The text as it is edited here. */
  mine: string
}

interface EditConflictProps {
  /** What was changed, for example "this example". */
  what: string
  fields: readonly ConflictField[]
  isSaving?: boolean
  /** Saves what is edited here on top of what was saved meanwhile. */
  onKeep: () => void
  /** Discards the edits of these fields. */
  onTake: () => void
  /** @default 'Save mine' */
  keepLabel?: string
  /** Whether the fields are edited below. @default true */
  isEditable?: boolean
}

/**
 * Shown when fields that are edited here were saved elsewhere meanwhile: both texts with their differences, and the choice
 * between them. The fields stay editable, so that both can be combined.
 */
export function EditConflict(props: EditConflictProps) {
  const { what, fields, isSaving, onKeep, onTake, keepLabel = 'Save mine', isEditable = true } = props
  const id = useId()
  return (
    <section
      role="alert"
      aria-labelledby={id}
      className="flex min-w-0 flex-col gap-2 rounded-card border border-warn bg-surface p-3 text-row"
    >
      <h3 id={id} className="font-semibold">
        Changed elsewhere while you were editing
      </h3>
      <p className="text-fg-muted">
        Another tab or user has saved {what}.{' '}
        {isEditable
          ? `Keep your text, take what was saved, or combine both in the ${fields.length === 1 ? 'field' : 'fields'} below.`
          : 'Keep your change, or take what was saved.'}
      </p>
      {fields.map((field) => (
        <Sides key={field.label} {...field} />
      ))}
      <div className="flex flex-wrap gap-2">
        {/* In the order of the sides. */}
        <Button disabled={isSaving} onClick={onTake}>
          Take what was saved
        </Button>
        <Button look="primary" disabled={isSaving} aria-busy={isSaving} onClick={onKeep}>
          {keepLabel}
        </Button>
      </div>
    </section>
  )
}

interface DraftConflictProps<Value extends Readonly<Record<string, string>>> {
  what: string
  labels: Readonly<Record<keyof Value & string, string>>
  draft: Draft<Value>
  saved: Value
}

/** The same for the draft of a form that has a button to save. */
export function DraftConflict<Value extends Readonly<Record<string, string>>>(props: DraftConflictProps<Value>) {
  const { what, labels, draft, saved } = props
  return (
    <EditConflict
      what={what}
      fields={draft.overtaken.map((field) => ({
        label: labels[field],
        theirs: saved[field] ?? '',
        mine: draft.value[field] ?? '',
      }))}
      keepLabel="Keep mine"
      onKeep={draft.keep}
      onTake={() => draft.follow(draft.overtaken)}
    />
  )
}

function Sides({ label, theirs, mine }: ConflictField) {
  const lines = useMemo(() => diffText(theirs, mine), [theirs, mine])
  return (
    <div className="@container flex min-w-0 flex-col gap-1">
      <p className="font-medium">{label}</p>
      <div className="grid min-w-0 gap-2 @min-[26rem]:grid-cols-2">
        <Side title="Saved meanwhile" lines={lines} without="added" />
        <Side title="Yours" lines={lines} without="removed" />
      </div>
    </div>
  )
}

interface SideProps {
  title: ReactNode
  lines: readonly TextLine[]
  without: 'added' | 'removed'
}

function Side({ title, lines, without }: SideProps) {
  const id = useId()
  const shown = lines.filter(({ kind }) => kind !== without)
  const isEmpty = shown.every(({ pieces }) => pieces.every(({ text }) => text === ''))
  return (
    <figure aria-labelledby={id} className="flex min-w-0 flex-col rounded-control border border-border">
      <figcaption id={id} className="border-b border-border bg-sunken px-2 py-0.5 text-meta text-fg-muted">
        {title}
      </figcaption>
      {isEmpty && <p className="px-2 py-1 text-fg-muted">(empty)</p>}
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard
        tabIndex={0}
        role="group"
        aria-labelledby={id}
        className={cx('max-h-36 min-w-0 overflow-auto py-1 font-mono @min-[26rem]:max-h-48', isEmpty && 'hidden')}
      >
        {shown.map(({ kind, pieces }, at) => (
          <p
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ids and never move
            key={at}
            className={cx(
              'min-h-4 whitespace-pre-wrap px-2 [overflow-wrap:anywhere]',
              kind === 'added' && 'bg-add-bg',
              kind === 'removed' && 'bg-del-bg',
            )}
          >
            {pieces.map(({ text, marked }, index) =>
              marked ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no ids and never move
                <mark key={index} className={cx('text-fg', kind === 'added' ? 'bg-add-mark' : 'bg-del-mark')}>
                  {text}
                </mark>
              ) : (
                text
              ),
            )}
          </p>
        ))}
      </div>
    </figure>
  )
}
