import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, Suspense, useId, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorState } from './states.tsx'

/** An unsaved change, for the summary. */
export interface Change {
  label: string
  from?: string | undefined
  to?: string | undefined
}

export interface FormSectionProps {
  title: string
  description?: ReactNode
  /** The unsaved changes; empty if there is nothing to save. */
  changes: readonly Change[]
  isSaving: boolean
  /** Why the last save failed, unless a field shows it. */
  error?: unknown
  /** Disables saving while a field is invalid. */
  isInvalid?: boolean
  /** Whether the changes were made before the page was loaded again; undefined when a reload loses them. */
  isRestored?: boolean | undefined
  /** Why the user may not change this; absent if they may. */
  lockedBecause?: string | undefined
  onSave: () => void
  onDiscard: () => void
  children: ReactNode
}

/**
 * A section of a settings page. Its save bar appears with the first change and lists what has changed; leaving the page
 * asks first. In a wide page, the title is beside the fields.
 */
export function FormSection(props: FormSectionProps) {
  const { title, description, changes, isSaving, error, isInvalid, isRestored, lockedBecause } = props
  const { onSave, onDiscard, children } = props
  const titleId = useId()
  const isDirty = changes.length > 0
  function submit(event: FormEvent) {
    event.preventDefault()
    if (isDirty && !isSaving && !isInvalid) onSave()
  }
  return (
    <section aria-labelledby={titleId} className="@container rounded-card border border-border bg-surface">
      <form noValidate onSubmit={submit} className="@2xl:grid @2xl:grid-cols-[15rem_minmax(0,1fr)]">
        <header className="px-4 pt-3 @2xl:pb-3">
          <h2 id={titleId} className="text-form font-semibold">
            {title}
          </h2>
          {description !== undefined && <div className="mt-0.5 text-row text-fg-muted">{description}</div>}
        </header>
        <fieldset disabled={lockedBecause !== undefined} className="flex min-w-0 flex-col gap-4 px-4 py-3">
          {isRestored && isDirty && <DraftRestored onDiscard={onDiscard} />}
          {children}
        </fieldset>
        {error != null && (
          <div className="@2xl:col-span-2">
            <ErrorState compact title={`Could not save ${title}`} error={error} />
          </div>
        )}
        <footer
          className={cx(
            'flex flex-wrap items-center gap-2 px-4 @2xl:col-span-2',
            (isDirty || lockedBecause !== undefined) && 'min-h-11 border-t border-border py-1.5',
          )}
        >
          <p role="status" className="min-w-0 flex-1 text-row text-fg-muted">
            {lockedBecause ?? (isDirty && <Changes changes={changes} />)}
          </p>
          {isDirty && (
            <>
              <Button onClick={onDiscard} disabled={isSaving}>
                Discard
              </Button>
              <Button type="submit" look="primary" disabled={isSaving || isInvalid}>
                {isSaving ? 'Saving…' : 'Save'}
              </Button>
            </>
          )}
        </footer>
      </form>
      <LeaveGuard isDirty={isDirty} title={title} isKept={isRestored !== undefined} />
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
          {to === undefined ? ' changed' : ` ${shorten(from)} → ${shorten(to)}`}
        </span>
      ))}
    </>
  )
}

function shorten(text: string | undefined): string {
  if (text === undefined || text === '') return '(empty)'
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** Tells that unsaved changes of before a reload are shown again. */
export function DraftRestored({ onDiscard }: { onDiscard: () => void }) {
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 rounded-control bg-sunken px-2 py-1 text-row">
      Draft restored
      <span aria-hidden className="text-fg-subtle">
        ·
      </span>
      <button type="button" className="text-accent hover:underline coarse:min-h-10" onClick={onDiscard}>
        Discard
      </button>
    </p>
  )
}

interface LeaveGuardProps {
  isDirty: boolean
  title: string
  /** Whether the changes stay as a draft in this tab. */
  isKept?: boolean
}

/** Asks before the page or its tab is left with unsaved changes. Changes of other search params keep the page. */
export function LeaveGuard({ isDirty, title, isKept = false }: LeaveGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && (current.pathname !== next.pathname || readTab(current.search) !== readTab(next.search)),
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
      description={`${title} has unsaved changes.${isKept ? ' They stay as a draft in this tab.' : ''}`}
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

const readTab = (search: object) => ('tab' in search ? search.tab : undefined)

interface DangerZoneProps {
  /** What is deleted, and the consequences. */
  explanation: ReactNode
  /** Label of the button that opens the dialog. */
  label: string
  /** Why the button is disabled. @default it is not */
  lockedBecause?: string | undefined
  /** The dialog that asks first. @param close  closes it */
  dialog: (close: () => void) => ReactNode
}

/** The last section of a settings page, for actions that cannot be undone. */
export function DangerZone({ explanation, label, lockedBecause, dialog }: DangerZoneProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <section aria-labelledby="danger" className="rounded-card border border-err bg-surface">
      <h2 id="danger" className="px-4 pt-3 text-form font-semibold">
        Danger zone
      </h2>
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <p className="min-w-56 flex-1 text-row text-fg-muted">{explanation}</p>
        <Button
          look="danger"
          disabled={lockedBecause !== undefined}
          title={lockedBecause}
          onClick={() => setAsking(true)}
        >
          {label}
        </Button>
      </div>
      <Suspense>{isAsking && dialog(() => setAsking(false))}</Suspense>
    </section>
  )
}
