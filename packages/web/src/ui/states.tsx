import { CircleAlert, type LucideIcon } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import { codeRetries } from '#lib/code-failure.ts'
import { describeFailure } from '#lib/errors.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { useConnectionNotice, useDelayedFlag } from './hooks.tsx'

export interface ErrorStateProps {
  /** What failed: "Could not load the runs". */
  title: string
  error: unknown
  onRetry?: (() => void) | undefined
  /** One line, for a strip above data that is still shown. @default false */
  compact?: boolean
}

/** Shown instead of data that failed to load: title, message, status, request id, Retry and Copy details. */
export function ErrorState({ title, error, onRetry, compact = false }: ErrorStateProps) {
  const failure = describeFailure(error)
  const isWaiting = !compact && failure.isOffline === true
  useConnectionNotice(isWaiting)
  const facts = [
    failure.status !== undefined && `HTTP ${failure.status}`,
    failure.requestId !== undefined && `request ${failure.requestId}`,
  ].filter(Boolean)
  return (
    <div
      role="alert"
      className={
        compact
          ? 'flex flex-wrap items-center gap-2 border-b border-border bg-del-bg px-3 py-1.5'
          : 'flex flex-col items-center gap-2 px-6 py-16 text-center'
      }
    >
      <p className="flex items-center gap-2 text-base font-medium text-fg">
        <CircleAlert size={15} className="text-err" aria-hidden />
        {title}
      </p>
      <p className="max-w-xl break-words text-row text-fg-muted">
        {failure.message} {isWaiting && 'Reconnecting…'}
      </p>
      {facts.length > 0 && <p className="font-mono text-meta text-fg-muted">{facts.join(' · ')}</p>}
      <div className="flex gap-2">
        {onRetry && <Button onClick={onRetry}>Retry</Button>}
        <CopyButton
          text={() => [title, failure.message, ...facts, location.pathname].join('\n')}
          label="Copy details"
        />
      </div>
    </div>
  )
}

interface EmptyStateProps {
  icon?: LucideIcon
  title: ReactNode
  /** `h1` where it is all of a page. @default 'h2' */
  heading?: 'h1' | 'h2'
  /** One sentence that explains why. */
  children?: ReactNode
  /** The next step. */
  actions?: ReactNode
}

/** Shown instead of an empty list. */
export function EmptyState({ icon: Icon, title, heading: Heading = 'h2', children, actions }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-16 text-center">
      {Icon && <Icon size={24} strokeWidth={1.5} className="text-fg-subtle" aria-hidden />}
      <Heading className="text-heading">{title}</Heading>
      {children !== undefined && <div className="w-full max-w-md text-base text-fg-muted">{children}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}

/** A gray bar in place of text that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx('block h-3 animate-pulse rounded-control bg-sunken', className)} />
}

/** Placeholder rows of a list. They appear after 150 ms, so that a fast response does not flicker. */
export function SkeletonRows({ rows = 12, height = 28, label = 'Loading' }) {
  const isVisible = useDelayedFlag(true, 150)
  return (
    <div role="status" aria-label={label} className="overflow-hidden">
      {isVisible &&
        Array.from({ length: rows }, (_, row) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move
            key={row}
            style={{ height }}
            className="flex items-center gap-4 border-b border-border px-3"
          >
            <Skeleton className="w-1/5" />
            <Skeleton className="w-2/5" />
            <Skeleton className="w-1/6" />
          </div>
        ))}
    </div>
  )
}

interface PaneBoundaryProps {
  /** Title of the error. */
  title: string
  children: ReactNode
}

/**
 * Shows a render error inside its pane; the rest of the page keeps working. The pane is rendered again by Retry, and when
 * the server answers again after code could not be loaded.
 */
export class PaneBoundary extends Component<PaneBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }
  #unsubscribe: (() => void) | undefined
  readonly #retry = () => this.setState({ error: undefined })

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidMount() {
    this.#unsubscribe = codeRetries.subscribe(this.#retry)
  }

  override componentWillUnmount() {
    this.#unsubscribe?.()
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return <ErrorState title={this.props.title} error={this.state.error} onRetry={this.#retry} />
  }
}

interface PreviewProps {
  /** Ids of the model calls whose previews stand for those that a run did not record. */
  derived: { readonly inputs: string | null; readonly outputs: string | null } | null | undefined
  side: 'inputs' | 'outputs'
  children: ReactNode
}

/** The preview of a side of a run, marked when it is that of a model call below it. Every page loads this file. */
export function Preview({ derived, side, children }: PreviewProps) {
  if (!derived?.[side]) return children
  const from = `From its ${side === 'inputs' ? 'first' : 'last'} model call`
  return (
    <span title={`This run recorded none. ${from}.`} className="text-fg-muted">
      <span aria-hidden>↳ </span>
      <span className="sr-only">{from}: </span>
      {children}
    </span>
  )
}
