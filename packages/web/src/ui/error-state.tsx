import { CircleAlert } from 'lucide-react'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

export interface ErrorStateProps {
  /** What failed: "Couldn't load the runs". */
  title: string
  error: unknown
  onRetry?: (() => void) | undefined
  /** One line, for a strip above data that is still shown. @default false */
  compact?: boolean
}

/** Shown instead of data that failed to load: title, message, status, request id, Retry and Copy details. */
export function ErrorState({ title, error, onRetry, compact = false }: ErrorStateProps) {
  const failure = describeFailure(error)
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
      <p className="max-w-xl break-words text-row text-fg-muted">{failure.message}</p>
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
