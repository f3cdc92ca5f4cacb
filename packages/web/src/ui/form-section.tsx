import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorState } from './error-state.tsx'

/** One edit that is not saved yet, in words. */
export interface Change {
  label: string
  from?: string | undefined
  to?: string | undefined
}

export interface FormSectionProps {
  title: string
  description?: ReactNode
  /** What saving would change; none means there is nothing to save. */
  changes: readonly Change[]
  isSaving: boolean
  /** Why the last attempt failed, where it belongs to no single field. */
  error?: unknown
  /** Saving is refused while something typed cannot be right. */
  isInvalid?: boolean
  /** Why this person may look but not change; absent where they may. */
  lockedBecause?: string | undefined
  onSave: () => void
  onDiscard: () => void
  children: ReactNode
}

/** A part of a settings page that saves as one: it says what would change, and asks before an edit is left behind. */
export function FormSection(props: FormSectionProps) {
  const { title, description, changes, isSaving, error, isInvalid, lockedBecause, onSave, onDiscard, children } = props
  const titleId = useId()
  const isDirty = changes.length > 0
  function submit(event: FormEvent) {
    event.preventDefault()
    if (isDirty && !isSaving && !isInvalid) onSave()
  }
  return (
    <section aria-labelledby={titleId} className="rounded-card border border-border bg-surface">
      <form onSubmit={submit}>
        <header className="px-4 pt-3">
          <h2 id={titleId} className="text-form font-semibold">
            {title}
          </h2>
          {description !== undefined && <div className="mt-0.5 text-row text-fg-muted">{description}</div>}
        </header>
        <fieldset disabled={lockedBecause !== undefined} className="flex min-w-0 flex-col gap-4 px-4 py-3">
          {children}
        </fieldset>
        {error != null && <ErrorState compact title={`${title} was not saved`} error={error} />}
        <footer className="flex min-h-11 flex-wrap items-center gap-2 border-t border-border px-4 py-1.5">
          <p role="status" className="min-w-0 flex-1 text-row text-fg-muted">
            {lockedBecause ?? (isDirty ? <Changes changes={changes} /> : 'Nothing to save')}
          </p>
          {isDirty && (
            <>
              <Button onClick={onDiscard} disabled={isSaving}>
                Discard
              </Button>
              <Button type="submit" look="primary" disabled={isSaving || isInvalid}>
                {isSaving ? 'Saving' : 'Save'}
              </Button>
            </>
          )}
        </footer>
      </form>
      <LeaveGuard isDirty={isDirty} title={title} />
    </section>
  )
}

function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <>
      {changes.map(({ label, from, to }, at) => (
        <span key={label} className="break-words">
          {at > 0 && '; '}
          <span className="font-medium text-fg">{label}</span>
          {to === undefined ? ' changed' : ` ${shown(from)} → ${shown(to)}`}
        </span>
      ))}
    </>
  )
}

function shown(text: string | undefined): string {
  if (text === undefined || text === '') return '(empty)'
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** Asks when the page is about to be left with edits in it. A change of search params leaves nothing. */
export function LeaveGuard({ isDirty, title }: { isDirty: boolean; title: string }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    disabled: !isDirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog
      open
      onOpenChange={() => blocker.reset()}
      title="Leave without saving?"
      description={`${title} has changes that are not saved.`}
      footer={
        <>
          <Button onClick={() => blocker.proceed()}>Leave</Button>
          <Button look="primary" onClick={() => blocker.reset()}>
            Stay
          </Button>
        </>
      }
    />
  )
}
