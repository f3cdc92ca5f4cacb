import type { Backup } from '@touchstone/sdk'
import { CircleAlert, CircleCheck, CircleDashed, DatabaseBackup, LoaderCircle, type LucideIcon } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { formatAbsoluteTime, formatBytes, formatLatency, formatRelativeTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Progress } from '#ui/progress.tsx'
import { Snippet } from '#ui/snippet.tsx'

export interface BackupTableProps {
  /** Newest first. */
  backups: readonly Backup[]
  onRestore: (backup: Backup) => void
}

/** Backups with their state; the running one shows its progress. */
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
                aria-label={`Restore backup of ${formatToSecond(backup.started_at)}`}
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

/** A table cell that shows its label in cards on phones, where empty cells are hidden. */
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
  if (backup.status === 'running') return <BackupProgress backup={backup} />
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
          The server stopped during the backup. The next backup removes the incomplete files.
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

function BackupProgress({ backup: { phase, bytes_done, bytes_total } }: { backup: Backup }) {
  const total = Math.max(bytes_total ?? 0, 1)
  const done = Math.min(bytes_done ?? 0, total)
  const message = phase === null ? 'Starting' : PHASES[phase]
  return (
    <span className="flex min-w-44 flex-col gap-1 py-1">
      <span className="flex items-center gap-1.5">
        <LoaderCircle size={14} aria-hidden className="shrink-0 animate-spin text-run motion-reduce:animate-none" />
        <span role="status">{message}</span>
        {phase !== null && <span className="num ml-auto text-fg-muted">{Math.floor((100 * done) / total)}%</span>}
      </span>
      <Progress label="Backup progress" value={done} max={total} className="h-1 w-full" />
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

/** How to give the server a folder for backups. */
export function NoBackups() {
  return (
    <section aria-labelledby="no-directory" className="mx-auto flex max-w-2xl flex-col gap-3 px-3 py-10 sm:px-6">
      <header className="flex flex-col items-center gap-2 text-center">
        <DatabaseBackup size={24} strokeWidth={1.5} className="text-fg-subtle" aria-hidden />
        <h2 id="no-directory" className="text-heading">
          No backup directory
        </h2>
        <p className="max-w-md text-base text-fg-muted">
          Start the server with a folder outside its data directory, preferably on another disk. Then you can create
          backups here or with the command line.
        </p>
      </header>
      <Snippet label="With a flag" text="npm start -- --backup-dir /mnt/backups" />
      <Snippet label="Or with an environment variable" text="TOUCHSTONE_BACKUP_DIR=/mnt/backups" />
    </section>
  )
}

/**
 * Commands to restore a backup. A restore creates a new data directory, which a running server cannot do for itself.
 */
export function RestoreDialog({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const path = quote(backup.path)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="max-w-2xl"
      title={`Restore backup of ${formatAbsoluteTime(backup.started_at).slice(0, -4)}`}
      description="A backup is restored into a new data directory on the server's machine. This server keeps running until you stop it."
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <ol className="flex flex-col gap-3">
        <li>
          <Snippet label="1. Verify the backup" text={`touchstone backup verify \\\n  ${path}`} />
        </li>
        <li>
          <Snippet
            label="2. Restore it into a new directory"
            text={`touchstone backup restore \\\n  ${path} \\\n  --data-dir ~/touchstone-restored`}
          />
        </li>
        <li>
          <Snippet
            label="3. Stop this server and start it with the new directory"
            text="npm start -- --data-dir ~/touchstone-restored"
          />
        </li>
      </ol>
      <p className="mt-3 text-row text-fg-muted">
        This restores everything that the server had acknowledged by{' '}
        {formatAbsoluteTime(backup.point_in_time).slice(0, -4)}, in all workspaces. Later data is only in the old
        directory: keep it until you have checked the result. To restore into PostgreSQL, ClickHouse or S3, set their
        addresses first, to databases and a bucket that are empty.
      </p>
    </Dialog>
  )
}

/** Quotes a path for the shell. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
