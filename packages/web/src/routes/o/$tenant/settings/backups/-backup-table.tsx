import type { Backup } from '@touchstone/sdk'
import { CircleAlert, CircleCheck, CircleDashed, LoaderCircle, type LucideIcon } from 'lucide-react'
import { cx } from '#lib/browser/cx.ts'
import { formatAbsoluteTime, formatBytes, formatLatency, formatRelativeTime } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'

export interface BackupTableProps {
  /** Newest first. */
  backups: readonly Backup[]
  onRestore: (backup: Backup) => void
}

/** Each backup with its state; the one that is made now shows how far it is. */
export function BackupTable({ backups, onRestore }: BackupTableProps) {
  return (
    <CardTable
      label="Backups"
      columns={[
        'Created',
        'State',
        'Point in time',
        { title: 'Size', isNumber: true },
        { title: 'Write pause', isNumber: true },
      ]}
      hasActions
      isSticky
    >
      {backups.map((backup) => (
        <CardRow key={backup.id}>
          <th
            scope="row"
            title={backup.id}
            className="whitespace-nowrap px-3 font-medium max-sm:w-full max-sm:p-0 max-sm:text-left max-sm:text-base"
          >
            {formatToSecond(backup.started_at)}
            <span className="ml-2 font-normal text-fg-muted max-xl:hidden max-sm:inline">
              {formatRelativeTime(backup.started_at)}
            </span>
          </th>
          <td className="px-3 max-sm:w-full max-sm:p-0">
            <State backup={backup} />
          </td>
          <Figure label="Point in time">{backup.point_in_time && formatToSecond(backup.point_in_time)}</Figure>
          <Figure label="Size" className="num">
            {backup.bytes !== null && formatBytes(backup.bytes)}
          </Figure>
          <Figure label="Write pause" className="num">
            {backup.pause_ms !== null && formatLatency(backup.pause_ms)}
          </Figure>
          <td className="px-3 text-right max-sm:ml-auto max-sm:p-0">
            {backup.status === 'complete' && (
              <Button
                onClick={() => onRestore(backup)}
                aria-label={`Restore the backup of ${formatToSecond(backup.started_at)}`}
              >
                Restore
              </Button>
            )}
          </td>
        </CardRow>
      ))}
    </CardTable>
  )
}

/** A cell that is absent from a card when there is nothing to say, and named there when there is. */
function Figure({
  label,
  className,
  children,
}: {
  label: string
  className?: string
  children: string | false | null
}) {
  return (
    <td className={cx('whitespace-nowrap px-3 text-fg-muted max-sm:p-0', className, !children && 'max-sm:hidden')}>
      <span className="mr-1 text-fg-subtle sm:hidden">{label}</span>
      {children || '-'}
    </td>
  )
}

function State({ backup }: { backup: Backup }) {
  if (backup.status === 'running') return <Progress backup={backup} />
  const { icon: Icon, label, look } = STATES[backup.status]
  return (
    <span className="flex flex-col py-1">
      <span className="flex items-center gap-1.5">
        <Icon size={14} aria-hidden className={cx('shrink-0', look)} />
        {label}
      </span>
      {backup.error !== null && <span className="max-w-96 break-words text-meta text-fg-muted">{backup.error}</span>}
      {backup.status === 'interrupted' && (
        <span className="max-w-96 text-meta text-fg-muted">
          The server ended while it was made. The next backup removes what is left of it.
        </span>
      )}
    </span>
  )
}

const STATES: Record<'complete' | 'failed' | 'interrupted', { icon: LucideIcon; label: string; look: string }> = {
  complete: { icon: CircleCheck, label: 'Complete', look: 'text-ok' },
  failed: { icon: CircleAlert, label: 'Failed', look: 'text-err' },
  interrupted: { icon: CircleDashed, label: 'Interrupted', look: 'text-warn' },
}

function Progress({ backup: { phase, bytes_done, bytes_total } }: { backup: Backup }) {
  const total = Math.max(bytes_total ?? 0, 1)
  const done = Math.min(bytes_done ?? 0, total)
  const says = phase === null ? 'Starting' : PHASES[phase]
  return (
    <span className="flex min-w-44 flex-col gap-1 py-1">
      <span className="flex items-center gap-1.5">
        <LoaderCircle size={14} aria-hidden className="shrink-0 animate-spin text-run motion-reduce:animate-none" />
        <span role="status">{says}</span>
        {phase !== null && <span className="num ml-auto text-fg-muted">{Math.floor((100 * done) / total)} %</span>}
      </span>
      <progress
        aria-label="Progress of the backup"
        value={done}
        max={total}
        className="h-1 w-full appearance-none overflow-hidden rounded-full bg-border [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-border [&::-webkit-progress-value]:bg-accent"
      />
    </span>
  )
}

const PHASES: Record<NonNullable<Backup['phase']>, string> = {
  relational: 'Copying the relational store',
  analytics: 'Copying runs',
  blobs: 'Copying attachments',
  checksums: 'Computing checksums',
}

function formatToSecond(time: string): string {
  return formatAbsoluteTime(time).slice(0, -'.000'.length)
}
